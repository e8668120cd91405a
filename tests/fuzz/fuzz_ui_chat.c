/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_ui_chat.c - any body is UI messages with a question, or a problem that says why
 * not. */
#include "server/facades/ai_sdk/ui_chat.h"
#include "tests/fuzz/door.h"

static bool read(struct exchange *exchange, struct runs_request *run, struct problem *problem)
{
    struct ui_chat_input input;
    bool is_fine = ui_chat_read(exchange, &input, problem);
    *run = input.run;
    if (!str_is_absent(input.resumes))
        run->message = STR("results"); /* of the client's tools, in place of a question */
    return is_fine;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return door_try(data, size, read);
}
