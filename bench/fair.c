/* SPDX-License-Identifier: MIT */
/* bench/fair.c - what a noisy company does to the others' time to first token, or to the end.
 *
 *   bench_fair --url http://127.0.0.1:PORT/PATH [--rate R] [--noise N] [--seconds S] [--rounds K]
 *              [--questions FILE] [--noise-url http://127.0.0.1:PORT/PATH]
 * Companies that behave send R runs a second in all; in every second phase a noisy one sends N
 * times as many besides, whatever it is answered. Phases take turns K times, so that the machine's
 * own weather falls on both. Prints the quiet ones' time to first token without and with the noise,
 * the ratios of their p50, p95 and p99, and what became of the noise. With --questions the quiet
 * ones ask the file's first line, one user of the noisy company the others in turn, and times are
 * to the end of an answer. With --noise-url the noisy one asks there: another askd on the same
 * database tells what of the difference is the database's and the machine's. Failure: bad arguments
 * end it; a quiet run that is refused or ends without a token is counted and makes the exit
 * status 1. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "bench/samples.h"
#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/base/mem.h"
#include "core/loop/loop.h"

enum { READ_BYTES = 16 << 10, TAIL_BYTES = 32, QUIET_COMPANIES = 5, SETTLE_SECONDS = 3 };
enum { MAX_QUESTIONS = 64, FILE_BYTES = 1 << 20 };

struct fair_bench {
    struct loop *loop;
    struct place {
        struct sockaddr_in address;
        struct str path;
    } place, noise_place;
    uint64_t rate, noise, seconds, rounds;
    uint64_t phase, sent, asked, quiet_failed, noisy_done, noisy_refused, noisy_failed, open;
    uint64_t quiet_due_ns, noisy_due_ns, phase_ends_ns;
    struct buf file;
    struct str questions[MAX_QUESTIONS]; /* the quiet ones', then the noisy one's */
    size_t question_count;               /* 0: everybody says hello */
    bool is_noisy, is_settling;
    struct samples first_token[2]; /* without noise, with it */
    uv_timer_t timer;
};

struct request {
    uv_tcp_t tcp;
    uv_connect_t connect;
    uv_write_t write;
    struct fair_bench *bench;
    uint64_t began_ns;
    bool is_quiet, with_noise, has_token, is_refused, is_whole;
    struct buf text;
    char tail[TAIL_BYTES]; /* what was read last, so that a word cut in two is found */
    size_t tail_len;
    char bytes[TAIL_BYTES + READ_BYTES];
};

/* ---- one run ---- */

static void on_gone(uv_handle_t *handle)
{
    struct request *request = handle->data;
    struct fair_bench *bench = request->bench;
    bool is_fine = request->has_token && request->is_whole;
    bench->open--;
    if (request->is_quiet)
        bench->quiet_failed += !is_fine;
    else if (request->is_refused)
        bench->noisy_refused++;
    else
        *(is_fine ? &bench->noisy_done : &bench->noisy_failed) += 1;
    buf_fini(&request->text);
    mem_free(request);
}

static void drop(struct request *request)
{
    if (!uv_is_closing((uv_handle_t *)&request->tcp))
        uv_close((uv_handle_t *)&request->tcp, on_gone);
}

static void give_buffer(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
    struct request *request = handle->data;
    (void)suggested;
    memcpy(request->bytes, request->tail, request->tail_len);
    *buffer = uv_buf_init(request->bytes + request->tail_len, READ_BYTES);
}

static void note(struct request *request, struct str seen)
{
    struct fair_bench *bench = request->bench;
    struct str awaited =
        bench->question_count == 0 ? STR("\"event\":\"token\"") : STR("\"event\":\"complete\"");
    if (!request->has_token && str_find(seen, awaited) >= 0) {
        request->has_token = true;
        if (request->is_quiet)
            samples_add(&bench->first_token[request->with_noise],
                        loop_precise_ns() - request->began_ns);
    }
    request->is_refused |= str_find(seen, STR("HTTP/1.1 429")) >= 0;
    request->is_whole |= str_find(seen, STR("\"event\":\"complete\"")) >= 0;
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer)
{
    struct request *request = stream->data;
    (void)buffer;
    if (count < 0) {
        drop(request);
        return;
    }
    struct str seen = str_make(request->bytes, request->tail_len + (size_t)count);
    note(request, seen);
    struct str tail = str_from(seen, seen.len > TAIL_BYTES ? seen.len - TAIL_BYTES : 0);
    memcpy(request->tail, tail.at, tail.len);
    request->tail_len = tail.len;
    if (request->is_whole || request->is_refused)
        drop(request);
}

static void on_connected(uv_connect_t *connect, int status)
{
    struct request *request = connect->data;
    if (status < 0) {
        drop(request);
        return;
    }
    struct str text = buf_str(&request->text);
    uv_buf_t all = uv_buf_init((char *)(uintptr_t)text.at, (unsigned)text.len);
    uv_read_start((uv_stream_t *)&request->tcp, give_buffer, on_read);
    uv_write(&request->write, (uv_stream_t *)&request->tcp, &all, 1, NULL);
}

static struct str question_of(struct fair_bench *bench, bool is_quiet)
{
    size_t noisy = bench->question_count > 1 ? bench->question_count - 1 : 1;
    if (bench->question_count == 0)
        return STR("Hello there");
    return bench->questions[is_quiet ? 0 : 1 + bench->asked++ % noisy];
}

static void send_run(struct fair_bench *bench, bool is_quiet)
{
    struct request *request = mem_zalloc(1, sizeof *request);
    CHECK(request != NULL);
    char body[1024];
    uint64_t number = bench->sent++;
    bool one_user = !is_quiet && bench->question_count > 0;
    struct str question = question_of(bench, is_quiet);
    struct place *place = is_quiet ? &bench->place : &bench->noise_place;
    int len = snprintf(body, sizeof body,
                       "{\"input\":{\"message\":\"%.*s\"},\"conversation\":{\"id\":"
                       "\"fair-%ld-%" PRIu64 "\",\"user_id\":\"u%" PRIu64
                       "\",\"company_id\":\"%s-%" PRIu64 "\"}}",
                       STR_ARG(question), (long)uv_os_getpid(), number, one_user ? 0 : number % 3,
                       is_quiet ? "quiet" : "noisy", is_quiet ? number % QUIET_COMPANIES : 0);
    buf_init(&request->text, 4096);
    buf_printf(&request->text,
               "POST /%.*s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
               "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
               STR_ARG(place->path), len, body);
    request->bench = bench;
    request->is_quiet = is_quiet;
    request->with_noise = bench->is_noisy;
    request->tcp.data = request->connect.data = request;
    request->began_ns = loop_precise_ns();
    bench->open++;
    uv_tcp_init(loop_uv(bench->loop), &request->tcp);
    uv_tcp_connect(&request->connect, &request->tcp, (const struct sockaddr *)&place->address,
                   on_connected);
}

/* ---- phases ---- */

static void send_due(struct fair_bench *bench, uint64_t *due_ns, uint64_t per_second, bool is_quiet)
{
    uint64_t now_ns = loop_precise_ns();
    for (; *due_ns <= now_ns; *due_ns += UINT64_C(1000000000) / per_second)
        send_run(bench, is_quiet);
}

/* A phase of sending, then a time in which its last runs end. */
static void next_phase(struct fair_bench *bench)
{
    uint64_t now_ns = loop_precise_ns();
    if (!bench->is_settling) {
        bench->is_settling = true;
        bench->phase_ends_ns = now_ns + UINT64_C(1000000000) * SETTLE_SECONDS;
        return;
    }
    bench->is_settling = false;
    if (++bench->phase == 2 * bench->rounds) {
        uv_close((uv_handle_t *)&bench->timer, NULL);
        return;
    }
    bench->is_noisy = bench->phase % 2 == 1;
    bench->quiet_due_ns = bench->noisy_due_ns = now_ns;
    bench->phase_ends_ns = now_ns + UINT64_C(1000000000) * bench->seconds;
}

static void on_tick(uv_timer_t *timer)
{
    struct fair_bench *bench = timer->data;
    if (loop_precise_ns() >= bench->phase_ends_ns)
        next_phase(bench);
    if (bench->is_settling || uv_is_closing((uv_handle_t *)timer))
        return;
    send_due(bench, &bench->quiet_due_ns, bench->rate, true);
    if (bench->is_noisy)
        send_due(bench, &bench->noisy_due_ns, bench->rate * bench->noise, false);
}

static int report(struct fair_bench *bench)
{
    static const char *const names[] = {"alone", "noisy"};
    const struct samples *with = &bench->first_token[1], *without = &bench->first_token[0];
    for (unsigned i = 0; i < 2; i++)
        printf("%-6s p50 %8.1f ms   p95 %8.1f ms   p99 %8.1f ms\n", names[i],
               samples_us(&bench->first_token[i], 0.5) / 1e3,
               samples_us(&bench->first_token[i], 0.95) / 1e3,
               samples_us(&bench->first_token[i], 0.99) / 1e3);
    printf("with noise / without: p50 %.3f, p95 %.3f, p99 %.3f\n",
           samples_us(with, 0.5) / samples_us(without, 0.5),
           samples_us(with, 0.95) / samples_us(without, 0.95),
           samples_us(with, 0.99) / samples_us(without, 0.99));
    printf("quiet runs that failed: %" PRIu64 "; noisy: %" PRIu64 " answered, %" PRIu64
           " refused, %" PRIu64 " failed\n",
           bench->quiet_failed, bench->noisy_done, bench->noisy_refused, bench->noisy_failed);
    return bench->quiet_failed == 0 ? 0 : 1;
}

static uint64_t number_of(const char *text)
{
    uint64_t value;
    if (!str_to_u64(str_of(text), &value) || value == 0) {
        fprintf(stderr, "bench_fair: a number above 0 is expected\n");
        exit(2);
    }
    return value;
}

/* A question a line. */
static void read_questions(struct fair_bench *bench, const char *path)
{
    struct err err = {0};
    buf_init(&bench->file, FILE_BYTES);
    if (file_read(path, &bench->file, &err) != ERR_OK) {
        fprintf(stderr, "bench_fair: %s\n", err.text);
        exit(2);
    }
    struct str rest = buf_str(&bench->file);
    while (!str_is_absent(rest) && bench->question_count < MAX_QUESTIONS) {
        struct str line = str_trim(str_split(&rest, '\n'));
        if (line.len > 0)
            bench->questions[bench->question_count++] = line;
    }
}

static void read_place(struct place *place, const char *url)
{
    uint64_t port = 0;
    struct str rest = str_of(url);
    if (!str_starts_with(rest, STR("http://127.0.0.1:")) ||
        (rest = str_from(rest, STR("http://127.0.0.1:").len),
         !str_to_u64(str_split(&rest, '/'), &port)) ||
        port > 65535) {
        fprintf(stderr, "bench_fair: --url http://127.0.0.1:PORT/PATH is needed\n");
        exit(2);
    }
    place->path = rest;
    uv_ip4_addr("127.0.0.1", (int)port, &place->address);
}

static void read_arguments(struct fair_bench *bench, int argc, char **argv)
{
    static const struct option options[] = {
        {"url", required_argument, NULL, 'u'},       {"rate", required_argument, NULL, 'r'},
        {"noise", required_argument, NULL, 'n'},     {"seconds", required_argument, NULL, 's'},
        {"rounds", required_argument, NULL, 'k'},    {"questions", required_argument, NULL, 'q'},
        {"noise-url", required_argument, NULL, 'o'}, {NULL, 0, NULL, 0},
    };
    const char *url = "", *noise_url = NULL;
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == 'u')
            url = optarg;
        else if (option == 'o')
            noise_url = optarg;
        else if (option == 'r')
            bench->rate = number_of(optarg);
        else if (option == 'n')
            bench->noise = number_of(optarg);
        else if (option == 's')
            bench->seconds = number_of(optarg);
        else if (option == 'k')
            bench->rounds = number_of(optarg);
        else if (option == 'q')
            read_questions(bench, optarg);
        else
            exit(2);
    }
    read_place(&bench->place, url);
    read_place(&bench->noise_place, noise_url == NULL ? url : noise_url);
}

int main(int argc, char **argv)
{
    static struct fair_bench bench = {.rate = 4, .noise = 100, .seconds = 10, .rounds = 3};
    read_arguments(&bench, argc, argv);
    bench.loop = loop_create();
    CHECK(bench.loop != NULL);
    bench.quiet_due_ns = loop_precise_ns();
    bench.phase_ends_ns = bench.quiet_due_ns + UINT64_C(1000000000) * bench.seconds;
    uv_timer_init(loop_uv(bench.loop), &bench.timer);
    bench.timer.data = &bench;
    uv_timer_start(&bench.timer, on_tick, 0, 1);
    loop_run(bench.loop);
    loop_destroy(bench.loop);
    buf_fini(&bench.file);
    return report(&bench);
}
