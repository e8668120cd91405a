/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_responses.c - any body is a response with a question, or a problem that says why
 * not. */
#include "server/facades/openai/responses.h"
#include "tests/fuzz/door.h"

static bool read(struct exchange *exchange, struct runs_request *run, struct problem *problem)
{
    struct responses_request request;
    if (!responses_read(exchange, &request, problem))
        return false;
    *run = request.run;
    if (!str_is_absent(request.resumes))
        run->message = STR("results"); /* of the client's tools, in place of a question */
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return door_try(data, size, read);
}
