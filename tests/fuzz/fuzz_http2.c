/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_http2.c - any bytes behind HTTP/2's preface: the requests they are, and how it
 * ends, are the same however they are cut; what is sent are whole frames; nothing is left. */
#include "tests/fuzz/cuts.h"
#include "tests/lib/http2_rig.h"

static struct loop *shared_loop(void)
{
    static struct loop *loop; /* made once: libFuzzer has no place to end */
    if (loop == NULL) {
        loop = loop_create();
        CHECK(loop != NULL);
        loop_fake_clock(loop, 0);
    }
    return loop;
}

static void transcribe(struct str input, size_t step, struct buf *out)
{
    struct http2_rig rig;
    buf_clear(out);
    http2_rig_init(&rig, shared_loop());
    CHECK(rig.session != NULL);
    CHECK(http2_session_feed(rig.session, str_of(http2_session_preface)) == 24);
    while (input.len > 0) {
        struct str piece = str_slice(input, 0, step);
        char *exact = cuts_copy(piece);
        size_t taken = http2_session_feed(rig.session, str_make(exact, piece.len));
        CHECK(taken <= piece.len);
        mem_free(exact);
        input = str_from(input, taken);
    }
    buf_push(out, buf_str(&rig.said)); /* nothing is sent yet: what was understood */
    for (size_t i = 0; i < rig.open_count && i < 2; i++) {
        if (rig.open[i] != NULL) {
            buf_push(rig.open[i]->out, STR("some"));
            channel_flush(rig.open[i]);
        }
    }
    for (unsigned i = 0; i < 4; i++) {
        loop_turn(rig.loop, 2);
        loop_advance(rig.loop, 2);
    }
    http2_rig_fini(&rig);
    loop_turn(shared_loop(), 2);
    CHECK(buf_ok(out));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return cuts_try(data, size, 8192, transcribe);
}
