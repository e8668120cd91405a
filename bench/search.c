/* SPDX-License-Identifier: MIT */
/* bench/search.c - what a search of documents costs, beside a plain loop over the same vectors.
 *
 * bench_search [--rows N] [--vectors 0]: an SQLite file of N chunks of 512 numbers in clusters, as
 * embeddings of documents are; searches one after another, through the whole store (image, scan,
 * passages from the file) with filters that pass everything, a tenth and a thousandth; then the
 * same question by a plain loop. latency: wall clock, from start to done; cpu: of all threads;
 * turn: the longest the loop was kept by one turn, of its thread's CPU time, so that neighbours on
 * the machine do not count. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "backends/words/text_sqlite.h"
#include "backends/vectors/vec_local.h"
#include "bench/samples.h"
#include "core/base/mem.h"

enum { DIMENSIONS = 512, TOP_K = 30, CLUSTERS = 200, BATCH = 512, SEARCHES = 300, RECALL_AT = 10 };
enum { LONG_TURN_NS = 1000 * 1000 };

struct bench {
    size_t rows;
    struct vec_shared *shared;
    int64_t exact[SEARCHES][RECALL_AT]; /* rows found by the scan */
    size_t recalled, question;
    bool has_index, compares, with_vectors;
    const char *path;
    float *vectors; /* all of them, for the plain loop */
    float centres[CLUSTERS][DIMENSIONS];
    struct loop *loop;
    struct vec *vec;
    struct text *text;
    uint64_t random;
    uint64_t turn_ns;         /* the longest turn */
    size_t turns, long_turns; /* all; those over LONG_TURN_NS */
    bool done, spins;
};

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static double random_unit(struct bench *bench)
{
    uint64_t z = bench->random += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

/* Of normal shape, near enough: a sum of four. */
static float random_normal(struct bench *bench)
{
    double sum = -2;
    for (int i = 0; i < 4; i++)
        sum += random_unit(bench);
    return (float)(sum * 1.732);
}

static void make_unit(float *vector)
{
    double sum = 0;
    for (size_t i = 0; i < DIMENSIONS; i++)
        sum += (double)vector[i] * (double)vector[i];
    for (size_t i = 0; i < DIMENSIONS; i++)
        vector[i] = (float)((double)vector[i] / sqrt(sum));
}

static void make_vector(struct bench *bench, float *vector)
{
    const float *centre = bench->centres[(size_t)(random_unit(bench) * CLUSTERS)];
    for (size_t i = 0; i < DIMENSIONS; i++)
        vector[i] = centre[i] + random_normal(bench);
    make_unit(vector);
}

static void on_done(struct op *op)
{
    struct bench *bench = op_owner(op);
    bench->done = true;
    loop_stop(bench->loop);
    if (op->err.code != ERR_OK) {
        fprintf(stderr, "bench_search: %s\n", op->err.text);
        exit(1);
    }
}

static struct op_waiter waiter(struct bench *bench)
{
    bench->done = false;
    return (struct op_waiter){.done = on_done, .owner = bench};
}

static void note_turn(struct bench *bench, uint64_t took_ns)
{
    bench->turn_ns = took_ns > bench->turn_ns ? took_ns : bench->turn_ns;
    bench->turns++;
    bench->long_turns += took_ns > LONG_TURN_NS;
}

/* Asleep while there is nothing to do; or without ever sleeping, so that each turn can be
 * measured. */
static void await(struct bench *bench)
{
    while (!bench->done && !bench->spins)
        loop_run(bench->loop);
    while (!bench->done) {
        uint64_t begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);
        loop_turn(bench->loop, 1);
        note_turn(bench, clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin);
    }
}

static void fill(struct bench *bench)
{
    static struct vec_point points[BATCH];
    static struct passage passages[BATCH];
    static struct passage_field fields[BATCH][3];
    static char ids[BATCH][16], texts[BATCH][400], tenths[10][8], thousandths[1000][8];
    static const char *const words[] = {"order",  "crew",     "invoice", "overtime", "schedule",
                                        "refund", "customer", "review",  "safety",   "payment"};
    uint64_t begin = clock_ns(CLOCK_MONOTONIC);
    for (size_t done = 0; done < bench->rows; done += BATCH) {
        size_t count = size_min(BATCH, bench->rows - done);
        for (size_t i = 0; i < count; i++) {
            size_t row = done + i;
            float *vector = bench->vectors + row * DIMENSIONS;
            make_vector(bench, vector);
            snprintf(ids[i], sizeof ids[i], "c%07zu", row);
            snprintf(tenths[row % 10], 8, "t%zu", row % 10);
            snprintf(thousandths[row % 1000], 8, "u%zu", row % 1000);
            snprintf(texts[i], sizeof texts[i],
                     "The %s of %s number %zu, and then the %s about it.", words[row % 10],
                     words[row / 10 % 10], row, words[row / 100 % 10]);
            fields[i][0] = (struct passage_field){STR("company_id"), str_of(tenths[row % 10])};
            fields[i][1] = (struct passage_field){STR("user_id"), str_of(thousandths[row % 1000])};
            fields[i][2] = (struct passage_field){STR("heading"), str_of(words[row % 10])};
            passages[i] = (struct passage){str_of(ids[i]), str_of(texts[i]), fields[i], 3};
            points[i] = (struct vec_point){passages[i], vector};
        }
        struct vec_write write = {0};
        struct text_write text_write = {0};
        const struct vec_change change = {.collection = STR("docs"),
                                          .model = STR("bench-1"),
                                          .dimensions = DIMENSIONS,
                                          .upsert = points,
                                          .upsert_count = count};
        const struct text_change text_change = {
            .collection = STR("docs"), .upsert = passages, .upsert_count = count};
        if (bench->with_vectors)
            vec_write_start(&write, bench->vec, &change, waiter(bench));
        if (bench->with_vectors)
            await(bench);
        op_release(&write.op);
        text_write_start(&text_write, bench->text, &text_change, waiter(bench));
        await(bench);
        op_release(&text_write.op);
    }
    printf("written                  %10.1f us a chunk, vectors and words\n",
           (double)(clock_ns(CLOCK_MONOTONIC) - begin) / 1000.0 / (double)bench->rows);
}

static void show(const char *name, const struct samples *samples, uint64_t cpu_ns, uint64_t turn_ns)
{
    printf("%-24s p50 %8.0f us  p99 %8.0f us", name, samples_us(samples, 0.5),
           samples_us(samples, 0.99));
    if (cpu_ns > 0)
        printf("  cpu %8.0f us  turn %6.0f us", (double)cpu_ns / 1000.0 / (double)samples->count,
               (double)turn_ns / 1000.0);
    printf("\n");
}

static int64_t row_of(const struct vec_search *search, size_t at)
{
    int64_t row = -1;
    struct str id = search->hits[at].passage.id;
    return str_to_i64(str_from(id, 1), &row) ? row : -1;
}

/* Remember the best of question number i, or count how many of those are found again. */
static void compare(struct bench *bench, const struct vec_search *search, size_t i)
{
    for (size_t at = 0; at < RECALL_AT && at < search->hit_count; at++) {
        if (!bench->has_index)
            bench->exact[i][at] = row_of(search, at);
        for (size_t j = 0; j < RECALL_AT && bench->has_index; j++)
            bench->recalled += row_of(search, at) == bench->exact[i][j];
    }
}

/* The same questions each time. */
static void ask(struct bench *bench, const struct passage_filter *filters, size_t filter_count,
                struct samples *samples)
{
    float vector[DIMENSIONS];
    struct vec_search search = {0};
    make_vector(bench, vector);
    const struct vec_query query = {.collection = STR("docs"),
                                    .model = STR("bench-1"),
                                    .vector = vector,
                                    .dimensions = DIMENSIONS,
                                    .top_k = TOP_K,
                                    .filters = filters,
                                    .filter_count = filter_count};
    uint64_t begin = clock_ns(CLOCK_MONOTONIC), begin_cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    vec_search_start(&search, bench->vec, &query, waiter(bench));
    note_turn(bench, clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin_cpu);
    await(bench);
    samples_add(samples, clock_ns(CLOCK_MONOTONIC) - begin);
    if (search.hit_count == 0)
        fprintf(stderr, "bench_search: nothing found\n");
    if (bench->compares)
        compare(bench, &search, bench->question++);
    op_release(&search.op);
}

static void search(struct bench *bench, const char *name, const struct passage_filter *filters,
                   size_t filter_count, struct samples *samples)
{
    struct samples spinning = {.count = 0};
    *samples = (struct samples){.count = 0};
    bench->random = 77;
    bench->compares = filter_count == 0;
    bench->question = bench->recalled = 0;
    uint64_t cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    for (size_t i = 0; i < SEARCHES; i++)
        ask(bench, filters, filter_count, samples);
    bench->compares = false;
    cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    bench->spins = true;
    bench->turn_ns = 0;
    bench->random = 77;
    for (size_t i = 0; i < SEARCHES / 4; i++)
        ask(bench, filters, filter_count, &spinning);
    bench->spins = false;
    show(name, samples, cpu, bench->turn_ns);
}

/* The plain loop: a dot product as one writes it, the best in an array. */
static void search_plainly(struct bench *bench, struct samples *samples)
{
    float vector[DIMENSIONS];
    uint64_t cpu = 0;
    bench->random = 77;
    *samples = (struct samples){.count = 0};
    for (size_t i = 0; i < SEARCHES / 10; i++) {
        float best[TOP_K] = {0};
        make_vector(bench, vector);
        uint64_t begin = clock_ns(CLOCK_MONOTONIC), begin_cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
        for (size_t row = 0; row < bench->rows; row++) {
            const float *other = bench->vectors + row * DIMENSIONS;
            float sum = 0;
            for (size_t j = 0; j < DIMENSIONS; j++)
                sum += vector[j] * other[j];
            if (sum <= best[TOP_K - 1])
                continue;
            size_t at = TOP_K - 1;
            for (; at > 0 && best[at - 1] < sum; at--)
                best[at] = best[at - 1];
            best[at] = sum;
        }
        samples_add(samples, clock_ns(CLOCK_MONOTONIC) - begin);
        cpu += clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin_cpu;
        if (best[0] <= 0)
            fprintf(stderr, "bench_search: nothing near\n");
    }
    show("plain loop", samples, cpu, 0);
}

static void ask_words(struct bench *bench, struct str words, struct samples *samples)
{
    struct text_search search = {0};
    const struct text_query query = {.collection = STR("docs"), .words = words, .top_k = TOP_K};
    uint64_t begin = clock_ns(CLOCK_MONOTONIC);
    text_search_start(&search, bench->text, &query, waiter(bench));
    await(bench);
    samples_add(samples, clock_ns(CLOCK_MONOTONIC) - begin);
    op_release(&search.op);
}

static void search_words(struct bench *bench, const char *name, struct str words)
{
    struct samples samples = {.count = 0}, spinning = {.count = 0};
    uint64_t cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    for (size_t i = 0; i < SEARCHES / 4; i++)
        ask_words(bench, words, &samples);
    cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    bench->spins = true;
    bench->turn_ns = 0;
    for (size_t i = 0; i < SEARCHES / 16; i++)
        ask_words(bench, words, &spinning);
    bench->spins = false;
    show(name, &samples, cpu, bench->turn_ns);
}

/* Build the index of all rows, while nothing else happens; then the same questions again. */
static void search_index(struct bench *bench, const struct passage_filter *company,
                         const struct samples *plain)
{
    static struct samples samples;
    struct samples meanwhile = {.count = 0};
    uint64_t begin = clock_ns(CLOCK_MONOTONIC);
    vec_shared_index_from(bench->shared, 1);
    while (!bench->has_index) {
        ask(bench, NULL, 0, &meanwhile);
        loop_turn(bench->loop, 1);
        struct vec_image *image = vec_shared_take(bench->shared);
        bench->has_index = image->collections[0].index != NULL;
        vec_image_unref(image);
    }
    printf("index built              %10.1f s, with %" PRIu64 " searches beside it\n",
           (double)(clock_ns(CLOCK_MONOTONIC) - begin) / 1e9, meanwhile.count);
    show("meanwhile", &meanwhile, 0, 0);
    search(bench, "by index: all", NULL, 0, &samples);
    printf("recall@%d                %10.4f\n", RECALL_AT,
           (double)bench->recalled / (SEARCHES * RECALL_AT));
    printf("ratio to the scan        %10.3f at p50, %.3f at p99\n",
           samples_us(&samples, 0.5) / samples_us(plain, 0.5),
           samples_us(&samples, 0.99) / samples_us(plain, 0.99));
    search(bench, "by index: a tenth", company, 1, &samples);
}

static void search_vectors(struct bench *bench)
{
    static struct samples all, some, plain;
    const struct str tenth[] = {STR("t3")}, thousandth[] = {STR("u3")};
    const struct passage_filter company = {STR("company_id"), tenth, 1};
    const struct passage_filter user = {STR("user_id"), thousandth, 1};
    struct samples first = {.count = 0};
    ask(bench, NULL, 0, &first);
    show("the first, which loads", &first, 0, 0);
    search(bench, "all", NULL, 0, &all);
    search(bench, "a tenth passes", &company, 1, &some);
    search(bench, "a thousandth passes", &user, 1, &some);
    search_plainly(bench, &plain);
    printf("ratio to the plain loop  %10.3f at p50, %.3f at p99\n",
           samples_us(&all, 0.5) / samples_us(&plain, 0.5),
           samples_us(&all, 0.99) / samples_us(&plain, 0.99));
    search_index(bench, &company, &all);
}

static void run(struct bench *bench)
{
    fill(bench);
    if (bench->with_vectors)
        search_vectors(bench);
    search_words(bench, "a rare word", STR("4711"));
    search_words(bench, "a word of all", STR("number"));
    search_words(bench, "words of a third", STR("overtime schedule"));
}

static void ignore_closed(void *owner)
{
    (void)owner;
}

int main(int argc, char **argv)
{
    static struct bench bench = {.rows = 10000, .random = 1, .with_vectors = true};
    char folder[] = "/tmp/bench_search_XXXXXX", path[64];
    for (int i = 1; i + 1 < argc; i += 2) {
        uint64_t value;
        if (strcmp(argv[i], "--rows") == 0 && str_to_u64(str_of(argv[i + 1]), &value))
            bench.rows = (size_t)value;
        if (strcmp(argv[i], "--vectors") == 0 && str_to_u64(str_of(argv[i + 1]), &value))
            bench.with_vectors = value != 0;
    }
    if (mkdtemp(folder) == NULL)
        return 1;
    snprintf(path, sizeof path, "%s/bench.db", folder);
    bench.vectors = mem_alloc(bench.rows * DIMENSIONS * sizeof(float));
    bench.loop = loop_create();
    struct vec_shared *shared = vec_shared_create(path, 0);
    if (bench.vectors == NULL || bench.loop == NULL || shared == NULL)
        return 1;
    bench.shared = shared;
    vec_shared_index_from(shared, SIZE_MAX); /* none, until it is its turn */
    bench.vec = vec_local_create(bench.loop, shared);
    bench.text = text_sqlite_create(bench.loop, path);
    if (bench.vec == NULL || bench.text == NULL)
        return 1;
    for (size_t i = 0; i < CLUSTERS; i++)
        for (size_t j = 0; j < DIMENSIONS; j++)
            bench.centres[i][j] = random_normal(&bench);
    printf("%zu chunks of %d numbers\n", bench.rows, DIMENSIONS);
    run(&bench);
    vec_close(bench.vec, ignore_closed, NULL);
    text_close(bench.text, ignore_closed, NULL);
    loop_run(bench.loop);
    loop_destroy(bench.loop);
    vec_shared_unref(shared);
    mem_free(bench.vectors);
    static const char *const suffixes[] = {"", "-wal", "-shm"};
    for (size_t i = 0; i < countof(suffixes); i++) {
        snprintf(path, sizeof path, "%s/bench.db%s", folder, suffixes[i]);
        unlink(path);
    }
    rmdir(folder);
    printf("turns over a millisecond %10zu of %zu\n", bench.long_turns, bench.turns);
    return 0;
}
