/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_ui_chat.c - any body is UI messages with a question, or a problem that says why
 * not. */
#include "server/facades/ai_sdk/ui_chat.h"
#include "tests/fuzz/door.h"

static bool read(struct exchange *exchange, struct runs_request *run, struct problem *problem)
{
    return ui_chat_read(exchange, run, problem);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return door_try(data, size, read);
}
