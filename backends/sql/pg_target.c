/* SPDX-License-Identifier: MIT */
/* backends/sql/pg_target.c - PQconninfoParse, cut at the commas.
 *
 * Happy path: libpq reads the url; host, hostaddr and port, or their defaults, are lists that say
 * the places; everything else is handed on as it is, with our settings last.
 * Failure: not a url, a part libpq does not know, lists of different lengths, a port that is none,
 * no memory. libpq's own words quote what they do not like, which may be a password: of them only
 * what stands outside quotes is told. */
#include "backends/sql/pg_target.h"

#include <libpq-fe.h>
#include <stdio.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/mem.h"
#include "core/base/str.h"

enum { MOST_PLACES = 16, TARGET_BYTES = 64 << 10 };

/* After the url's own options, so that these win. A session of ours that is idle inside a
 * transaction, or whose statement got past its own limit, ends by the server's doing. */
static const char settings[] =
    " -c default_transaction_read_only=on -c statement_timeout=600000"
    " -c idle_in_transaction_session_timeout=60000 -c DateStyle=ISO -c IntervalStyle=postgres"
    " -c extra_float_digits=1 -c bytea_output=hex -c standard_conforming_strings=on";

struct place {
    const char *host, *hostaddr, *port; /* NULL: libpq's default */
};

struct pg_target {
    PQconninfoOption *options; /* libpq's, of the url */
    struct arena arena;
    struct place places[MOST_PLACES];
    size_t place_count;
    const char *startup; /* the keyword "options" */
};

static const char *find_value(const PQconninfoOption *options, const char *keyword)
{
    for (; options != NULL && options->keyword != NULL; options++)
        if (strcmp(options->keyword, keyword) == 0)
            return options->val != NULL && options->val[0] != '\0' ? options->val : NULL;
    return NULL;
}

/* libpq's complaint without what it quotes. */
static enum err_code refuse_url(const char *text, struct err *err)
{
    char words[160];
    size_t len = 0;
    bool inside = false, named = strstr(text, "URI query parameter") != NULL;
    for (; *text != '\0' && *text != '\n' && len + 1 < sizeof words; text++) {
        if (*text == '"')
            inside = !inside;
        if (!inside || named || *text == '"')
            words[len++] = *text;
    }
    words[len] = '\0';
    return err_set(err, ERR_INVALID, "the database url is not one of PostgreSQL: %s", words);
}

/* The items of a comma list; an empty one is NULL. False: no memory, or more than there may be. */
static bool cut(struct arena *arena, const char *list, const char *items[MOST_PLACES],
                size_t *count)
{
    struct str rest = str_of(list);
    for (*count = 0; !str_is_absent(rest); ++*count) {
        struct str item = str_trim(str_split(&rest, ','));
        if (*count == MOST_PLACES)
            return false;
        items[*count] = str_is_empty(item) ? NULL : arena_cstr(arena, item);
        if (!arena_ok(arena))
            return false;
    }
    return true;
}

static bool is_port(const char *text)
{
    uint64_t port;
    return text == NULL || (str_to_u64(str_of(text), &port) && port >= 1 && port <= 65535);
}

static enum err_code read_places(struct pg_target *target, const PQconninfoOption *from,
                                 const char *port, struct err *err)
{
    const char *host[MOST_PLACES] = {0}, *address[MOST_PLACES] = {0}, *ports[MOST_PLACES] = {0};
    size_t hosts, addresses, port_count;
    if (!cut(&target->arena, find_value(from, "host"), host, &hosts) ||
        !cut(&target->arena, find_value(from, "hostaddr"), address, &addresses) ||
        !cut(&target->arena, port, ports, &port_count))
        return arena_ok(&target->arena)
                   ? err_set(err, ERR_INVALID, "the database url names more than %d hosts",
                             MOST_PLACES)
                   : err_set(err, ERR_NO_MEMORY, "no memory for a database url");
    size_t count = size_max(1, size_max(hosts, addresses));
    if (hosts > 0 && addresses > 0 && hosts != addresses)
        return err_set(err, ERR_INVALID, "the database url has %zu hosts and %zu addresses", hosts,
                       addresses);
    if (port_count > 1 && port_count != count)
        return err_set(err, ERR_INVALID, "the database url has %zu hosts and %zu ports", count,
                       port_count);
    for (size_t i = 0; i < count; i++) {
        target->places[i] =
            (struct place){host[i], address[i], port_count == 1 ? ports[0] : ports[i]};
        if (!is_port(target->places[i].port))
            return err_set(err, ERR_INVALID, "the database url has a port that is none");
    }
    target->place_count = count;
    return ERR_OK;
}

/* What the url does not say about places, the environment may. */
static enum err_code add_places(struct pg_target *target, struct err *err)
{
    const PQconninfoOption *url = target->options;
    bool has_host = find_value(url, "host") != NULL || find_value(url, "hostaddr") != NULL;
    const char *port = find_value(url, "port");
    PQconninfoOption *defaults = PQconndefaults();
    if (defaults == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for a database url");
    enum err_code code = read_places(target, has_host ? url : defaults,
                                     port != NULL ? port : find_value(defaults, "port"), err);
    PQconninfoFree(defaults);
    return code;
}

static enum err_code read_url(struct pg_target *target, const char *url, struct err *err)
{
    char *text = NULL;
    struct str whole = str_of(url);
    if (!str_starts_with(whole, STR("postgresql://")) &&
        !str_starts_with(whole, STR("postgres://")))
        return err_set(err, ERR_INVALID, "the database url must begin with postgresql://");
    target->options = PQconninfoParse(url, &text);
    if (target->options == NULL) {
        enum err_code code = refuse_url(text == NULL ? "no memory" : text, err);
        PQfreemem(text);
        return code;
    }
    if (find_value(target->options, "service") != NULL)
        return err_set(err, ERR_INVALID,
                       "the database url names a service: give host and database");
    const char *options = find_value(target->options, "options");
    struct str startup =
        arena_printf(&target->arena, "%s%s", options == NULL ? "" : options, settings);
    target->startup = arena_cstr(&target->arena, startup);
    if (target->startup == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for a database url");
    return add_places(target, err);
}

struct pg_target *pg_target_create(const char *url, struct err *err)
{
    struct pg_target *target = mem_zalloc(1, sizeof *target);
    if (target == NULL) {
        err_set(err, ERR_NO_MEMORY, "no memory for a database url");
        return NULL;
    }
    arena_init(&target->arena, TARGET_BYTES);
    if (read_url(target, url, err) == ERR_OK)
        return target;
    pg_target_destroy(target);
    return NULL;
}

void pg_target_destroy(struct pg_target *target)
{
    if (target == NULL)
        return;
    PQconninfoFree(target->options);
    arena_fini(&target->arena);
    mem_free(target);
}

size_t pg_target_count(const struct pg_target *target)
{
    return target->place_count;
}

static bool is_socket(const char *host)
{
    return host[0] == '/' || host[0] == '@';
}

const char *pg_target_host(const struct pg_target *target, size_t index)
{
    const struct place *place = &target->places[index];
    if (place->hostaddr != NULL || place->host == NULL || is_socket(place->host))
        return NULL;
    return place->host;
}

static void put(struct pg_target_params *params, size_t *count, const char *keyword,
                const char *value)
{
    if (value == NULL)
        return;
    CHECK(*count < PG_TARGET_MOST_KEYWORDS);
    params->keywords[*count] = keyword;
    params->values[(*count)++] = value;
}

void pg_target_fill(const struct pg_target *target, size_t index, const char *address,
                    struct pg_target_params *params)
{
    static const char *const ours[] = {"host",    "hostaddr",        "port",
                                       "options", "client_encoding", "fallback_application_name"};
    const struct place *place = &target->places[index];
    size_t count = 0;
    *params = (struct pg_target_params){0};
    for (const PQconninfoOption *each = target->options; each->keyword != NULL; each++) {
        bool is_ours = false;
        for (size_t i = 0; i < countof(ours); i++)
            is_ours = is_ours || strcmp(ours[i], each->keyword) == 0;
        if (!is_ours)
            put(params, &count, each->keyword, each->val);
    }
    put(params, &count, "host", place->host);
    put(params, &count, "hostaddr", address != NULL ? address : place->hostaddr);
    put(params, &count, "port", place->port);
    put(params, &count, "options", target->startup);
    put(params, &count, "client_encoding", "UTF8");
    put(params, &count, "fallback_application_name", "askd");
    if (find_value(target->options, "gssencmode") == NULL)
        put(params, &count, "gssencmode", "disable");
}

void pg_target_where(const struct pg_target *target, size_t index,
                     char where[PG_TARGET_WHERE_BYTES])
{
    const struct place *place = &target->places[index];
    const char *host = place->host != NULL ? place->host : place->hostaddr;
    snprintf(where, PG_TARGET_WHERE_BYTES, "%.255s:%.5s", host == NULL ? "its socket" : host,
             place->port == NULL ? "5432" : place->port);
}
