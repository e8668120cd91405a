/* SPDX-License-Identifier: MIT */
/* agents/analyst/look_up.c - searches of the retrieval sub-graph.
 *
 * Happy path: the question is read by a model while the caller's own memory is searched; then
 * documents are searched with the companies, years and types it names, and the hits join those of
 * earlier passes.
 * Failure: memory that cannot be searched is a warning in the log; a model that cannot be reached
 * ends the node; a company that no document has by this name is looked up among those that come
 * near; filters that leave nothing new are dropped one by one; documents that cannot be searched
 * end the node (retrieval_unavailable). */
#include "agents/analyst/look_up.h"

#include "agents/analyst/put.h"
#include "agents/analyst/query.h"
#include "agents/analyst/state.h"
#include "agents/common/content.h"
#include "agents/nodes/remember.h"
#include "agents/nodes/search.h"
#include "core/store/wire_code.h"
#include "proto/json_value.h"
#include "proto/json_write.h"

enum {
    MEMORY_TOP = 3,
    MEMORY_BYTES = 16 * 1024,
    MAX_PASSAGES = 4 * HYBRID_TOP_K_FINAL,
    BYTES_PER_TOKEN = 3,
    CONTEXT_SHARE = 3,
    SPELLINGS = 3,
    COMPANY_WORDS = 16,
    TURNS = 3, /* of the conversation, which a follow-up may go on */
};

/* ---- memory_and_query ---- */

struct question {
    struct ask_call call;
    struct hybrid_search memory;
    struct hybrid_query query;
    bool has_memory;
};

static node_fn keep_question;

static struct str make_recent(struct node *node)
{
    return remember_recent(node, TURNS);
}

#define TEXTS "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}"
#define QUERY_FORM                                                                                 \
    "{\"type\":\"object\",\"properties\":{\"question\":{\"type\":\"string\"},"                     \
    "\"entities\":" TEXTS ",\"companies\":" TEXTS ",\"years\":" TEXTS ",\"document_types\":" TEXTS \
    ",\"keywords\":" TEXTS                                                                         \
    ",\"augmented_query\":{\"type\":\"string\"}},\"required\":[\"question\",\"entities\","         \
    "\"companies\",\"years\",\"document_types\",\"keywords\",\"augmented_query\"],"                \
    "\"additionalProperties\":false}"

const struct ask_config analyst_look_up_ask = {
    .task = "query_processing",
    .prompt = "analyst/query_processing",
    .answer = QUERY_FORM,
    .fields = {{"question", SLOT(ANALYST_CURRENT_QUERY)}, {"conversation", .make = make_recent}},
};

static enum step enter_question(struct node *node)
{
    struct question *f = node_frame(node);
    const struct session *session = node_session(node);
    const struct services *has = services(node);
    struct str question = node_str(node, ANALYST_CURRENT_QUERY);
    remember_load(node, ANALYST_MESSAGES, question);
    if (!ask_begin(node, node_config(node), &f->call))
        return analyst_put_fail(node, "the prompt");
    f->has_memory =
        !str_is_empty(session->caller.user_id) && (has->vec != NULL || has->text != NULL);
    f->query = (struct hybrid_query){
        .collection = HYBRID_MEMORY,
        .text = question,
        .top_final = MEMORY_TOP,
        .own_only = true,
        .arena = node_arena(node),
    };
    if (f->has_memory)
        hybrid_search_start(&f->memory, session, &f->query, node_waiter(node));
    return node_settle(node, keep_question);
}

static void put_memory(struct node *node, const struct question *f)
{
    struct buf text;
    if (!f->has_memory)
        return;
    if (f->memory.op.err.code != ERR_OK) {
        LOG(node_log(node), WARN, "analyst.memory", "code=%s", err_name(f->memory.op.err.code));
        return;
    }
    buf_init(&text, MEMORY_BYTES);
    for (size_t i = 0; i < f->memory.hit_count; i++) {
        struct str said = f->memory.hits[i].passage.text;
        if (buf_len(&text) + said.len + 2 > MEMORY_BYTES)
            break;
        buf_printf(&text, "%s%.*s", i > 0 ? "\n\n" : "", STR_ARG(said));
    }
    if (buf_len(&text) > 0)
        node_put_str(node, ANALYST_MEMORY, buf_str(&text));
    buf_fini(&text);
}

static enum step keep_question(struct node *node)
{
    struct question *f = node_frame(node);
    const struct op *op = &f->call.chat.op;
    struct analyst_query query;
    struct analyst_put put;
    struct json_write json;
    put_memory(node, f);
    if (op->err.code != ERR_OK)
        return node_fail_as(node, wire_code_of(op->kind->name, op->err.code), &op->err);
    ask_count(node, node_config(node), &f->call);
    analyst_query_read(node_arena(node), f->call.chat.text, node_str(node, ANALYST_CURRENT_QUERY),
                       &query);
    analyst_put_begin(&put, &json);
    analyst_query_write(&query, &json);
    return analyst_put_end(&put, node, ANALYST_PROCESSED_QUERY)
               ? STEP_DONE
               : analyst_put_fail(node, "the question");
}

const struct graph_node_type analyst_look_up_question = {.enter = enter_question,
                                                         .frame_bytes = sizeof(struct question)};

/* ---- retrieval ---- */

struct passages {
    struct hybrid_search search;
    struct hybrid_query query;
    struct passage_filter filters[3];
    struct str choices[3][ANALYST_QUERY_TEXTS * SPELLINGS];
    struct analyst_texts companies;
    bool has_company, is_resolved; /* a filter by company; by names that documents have */
};

static node_fn keep_passages;

/* A name as it was said and in small letters. */
static void add_filter(struct node *node, struct passages *f, const char *name,
                       const struct analyst_texts *texts)
{
    struct str *choices = f->choices[f->query.filter_count];
    size_t count = 0;
    if (texts->count == 0)
        return;
    for (size_t i = 0; i < texts->count; i++) {
        struct str small = arena_str(node_arena(node), texts->at[i]);
        choices[count++] = texts->at[i];
        if (str_is_absent(small))
            continue;
        char *at = arena_alloc(node_arena(node), small.len + 1);
        for (size_t k = 0; at != NULL && k < small.len; k++)
            at[k] = str_lower(small.at[k]);
        if (at != NULL && !str_equal(str_make(at, small.len), small))
            choices[count++] = str_make(at, small.len);
    }
    f->filters[f->query.filter_count++] = (struct passage_filter){str_of(name), choices, count};
}

static void add_texts(struct buf *words, const struct analyst_texts *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        buf_printf(words, " %.*s", STR_ARG(texts->at[i]));
}

static struct str take_words(struct node *node, struct buf *words)
{
    struct str text =
        buf_ok(words) ? arena_str(node_arena(node), buf_str(words)) : (struct str){NULL, 0};
    buf_fini(words);
    return text;
}

/* Put the texts to look up: the question; after a refinement the gaps that it found, since the rest
 * of the question would find the same passages again. */
static void put_texts(struct node *node, struct passages *f, const struct analyst_query *query)
{
    bool is_refined = node_int(node, ANALYST_RETRIEVAL_ATTEMPTS) > 0;
    struct buf meaning, words;
    buf_init(&meaning, MEMORY_BYTES);
    buf_init(&words, MEMORY_BYTES);
    buf_push(&meaning, is_refined ? node_str(node, ANALYST_KEYWORDS) : query->augmented);
    buf_push(&words, is_refined ? node_str(node, ANALYST_KEYWORDS) : query->question);
    if (is_refined)
        add_texts(&meaning, &query->companies);
    add_texts(&words, &query->keywords);
    f->query.text = take_words(node, &meaning);
    f->query.keywords = take_words(node, &words);
}

static enum step enter_passages(struct node *node)
{
    struct passages *f = node_frame(node);
    struct analyst_query query;
    const struct search_hit *known;
    analyst_query_read(node_arena(node), node_str(node, ANALYST_PROCESSED_QUERY),
                       node_str(node, ANALYST_CURRENT_QUERY), &query);
    f->query = (struct hybrid_query){
        .collection = HYBRID_FINANCIAL,
        .top_final = HYBRID_TOP_K_FINAL + analyst_put_hits(node, &known), /* what is new counts */
        .may_rerank = true,
        .filters = f->filters,
        .arena = node_arena(node),
    };
    put_texts(node, f, &query);
    f->companies = query.companies;
    f->has_company = query.companies.count > 0;
    add_filter(node, f, "company", &query.companies);
    add_filter(node, f, "year", &query.years);
    add_filter(node, f, "document_type", &query.document_types);
    hybrid_search_start(&f->search, node_session(node), &f->query, node_waiter(node));
    return node_await(node, keep_passages);
}

static bool is_known(const struct search_hit *hits, size_t count, struct str chunk)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(hits[i].chunk, chunk))
            return true;
    return false;
}

/* ---- companies ---- */

/* Whether a document's company is the one said: all words of the one are words of the other. */
static bool is_company(struct arena *arena, struct str said, struct str name)
{
    struct str of_said[COMPANY_WORDS], of_name[COMPANY_WORDS];
    size_t said_count = content_words(arena, said, of_said, COMPANY_WORDS), found = 0;
    size_t name_count = content_words(arena, name, of_name, COMPANY_WORDS);
    for (size_t i = 0; i < said_count; i++)
        found += content_find(of_name, name_count, of_said[i]) >= 0;
    return found > 0 && found == size_min(said_count, name_count);
}

/* Filter by the names that the documents found have for the companies said. False: none has. */
static bool resolve_companies(struct node *node, struct passages *f)
{
    struct analyst_texts names = {.count = 0};
    for (size_t i = 0; i < f->search.hit_count; i++) {
        struct str name = passage_get(&f->search.hits[i].passage, STR("company"));
        bool is_said = false;
        for (size_t k = 0; k < f->companies.count && name.len > 0; k++)
            is_said = is_said || is_company(node_arena(node), f->companies.at[k], name);
        for (size_t k = 0; k < names.count; k++)
            is_said = is_said && !str_equal(names.at[k], name);
        if (is_said && names.count < ANALYST_QUERY_TEXTS)
            names.at[names.count++] = name;
    }
    if (names.count == 0)
        return false;
    f->query.filters = f->filters;
    f->query.filter_count = 0;
    add_filter(node, f, "company", &names);
    return true;
}

/* ---- what was found ---- */

static size_t count_news(struct node *node, const struct passages *f)
{
    const struct search_hit *hits;
    size_t known = analyst_put_hits(node, &hits), news = 0;
    for (size_t i = 0; i < f->search.hit_count; i++)
        news += !is_known(hits, known, f->search.hits[i].passage.id);
    return news;
}

/* Earlier passages keep their numbers; new ones follow. False: no memory. */
static bool put_passages(struct node *node, const struct passages *f)
{
    struct arena *arena = node_arena(node);
    struct str before = node_str(node, ANALYST_RETRIEVED_CONTEXT);
    const struct json_value *old =
        str_is_empty(before) ? NULL : json_value_parse(arena, before, NULL, NULL);
    const struct search_hit *hits;
    struct analyst_put put;
    struct json_write json;
    size_t known = analyst_put_hits(node, &hits), count = known;
    analyst_put_begin(&put, &json);
    json_write_array(&json);
    for (const struct json_value *hit = old == NULL ? NULL : old->first; hit != NULL;
         hit = hit->next)
        json_value_write(hit, &json);
    for (size_t i = 0; i < f->search.hit_count && count < MAX_PASSAGES; i++)
        if (!is_known(hits, known, f->search.hits[i].passage.id))
            search_write_hit(&f->search.hits[i], ++count, &json);
    json_write_array_end(&json);
    struct str all = arena_str(arena, buf_str(&put.buf));
    size_t most = services(node)->limits->max_context_tokens * BYTES_PER_TOKEN / CONTEXT_SHARE;
    struct buf context;
    buf_init(&context, ANALYST_PUT_BYTES);
    count = search_read_hits(arena, all, &hits);
    search_write_context(hits, count, most, &context);
    bool fits = analyst_put_end(&put, node, ANALYST_RETRIEVED_CONTEXT) && buf_ok(&context);
    if (fits)
        node_put_str(node, ANALYST_CONTEXT, buf_str(&context));
    node_put_bool(node, ANALYST_IS_NEWS, count > known);
    buf_fini(&context);
    return fits;
}

static enum step search_again(struct node *node, struct passages *f)
{
    op_release(&f->search.op);
    hybrid_search_start(&f->search, node_session(node), &f->query, node_waiter(node));
    return node_await(node, keep_passages);
}

/* False: no memory. */
static bool put_warnings(struct node *node, const struct hybrid_search *search)
{
    struct analyst_put put;
    struct json_write json;
    if (search->degraded.code == ERR_OK && search->unranked.code == ERR_OK)
        return true;
    analyst_put_begin(&put, &json);
    json_write_array(&json);
    (void)hybrid_write_warnings(search, node_log(node), &json);
    json_write_array_end(&json);
    return analyst_put_end(&put, node, ANALYST_WARNINGS);
}

static enum step keep_passages(struct node *node)
{
    struct passages *f = node_frame(node);
    if (count_news(node, f) == 0 && f->query.filter_count > 0) { /* nothing is said to be of it */
        f->query.filters++; /* first the company: a report may call it by another name */
        f->query.filter_count--;
        return search_again(node, f);
    }
    if (f->has_company && !f->is_resolved && f->query.filters != f->filters) {
        f->is_resolved = true; /* no document has it by the name that was said */
        if (resolve_companies(node, f))
            return search_again(node, f);
    }
    if (!put_warnings(node, &f->search))
        return analyst_put_fail(node, "a warning");
    return put_passages(node, f) ? STEP_DONE : analyst_put_fail(node, "what the documents say");
}

const struct graph_node_type analyst_look_up_passages = {.enter = enter_passages,
                                                         .frame_bytes = sizeof(struct passages)};
