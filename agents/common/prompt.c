/* SPDX-License-Identifier: MIT */
/* agents/common/prompt.c - reads the files that the lists name, cuts them into sections and pieces.
 *
 * Happy path: every file is read whole (64 KiB at most), split at "### role" lines into sections,
 * and each section into literal pieces and placeholders; rendering concatenates.
 * Failure: all mistakes of all files are gathered into one error; nothing is kept. */
#include "agents/common/prompt.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/mem.h"

enum { MAX_FILE_BYTES = 64 * 1024, MAX_SECTIONS = 4, MAX_PIECES = 64, MAX_PATH = 1024 };

struct piece {
    struct str text; /* literal, or the placeholder's name */
    bool is_field;
    bool is_data; /* a field between <data> and </data>; a literal that ends between them */
};

struct section {
    enum llm_role role;
    struct piece pieces[MAX_PIECES];
    size_t piece_count;
};

struct prompt {
    const struct prompt_spec *spec;
    char path[MAX_PATH];
    struct timespec changed;
    off_t size;
    struct buf text;
    struct section sections[MAX_SECTIONS];
    size_t section_count;
};

struct prompt_set {
    size_t count;
    struct prompt prompts[];
};

/* spec NULL: of a prompt that stands in no file, which may have any field. */
static bool knows_field(const struct prompt_spec *spec, struct str name)
{
    if (spec == NULL)
        return true;
    for (size_t i = 0; i < PROMPT_MAX_FIELDS && spec->fields[i] != NULL; i++)
        if (str_equal(name, str_of(spec->fields[i])))
            return true;
    return false;
}

/* Read the file of a prompt. Its time and size are taken first, so that a file that changes
 * meanwhile looks changed and is read again. */
static bool read_prompt(struct prompt *prompt)
{
    struct stat facts;
    struct err err;
    buf_init(&prompt->text, MAX_FILE_BYTES);
    if (stat(prompt->path, &facts) != 0 || file_read(prompt->path, &prompt->text, &err) != ERR_OK)
        return false;
    prompt->changed = facts.st_mtim;
    prompt->size = facts.st_size;
    return true;
}

/* Whether a block of data is open after text, where it was as is_open before. */
static bool opens_data(struct str text, bool is_open)
{
    for (size_t i = 0; i < text.len; i++)
        if (str_starts_with(str_from(text, i), STR("<data>")))
            is_open = true;
        else if (str_starts_with(str_from(text, i), STR("</data>")))
            is_open = false;
    return is_open;
}

static void add_piece(struct section *section, struct str text, bool is_field)
{
    const struct piece *last =
        section->piece_count == 0 ? NULL : &section->pieces[section->piece_count - 1];
    bool is_data = last != NULL && last->is_data;
    if (!is_field)
        is_data = opens_data(text, is_data);
    if (section->piece_count < MAX_PIECES && (is_field || text.len > 0))
        section->pieces[section->piece_count++] = (struct piece){text, is_field, is_data};
}

/* Cut text into pieces. Returns what is wrong with it, or NULL. */
static const char *cut_pieces(const struct prompt_spec *spec, struct section *section,
                              struct str text)
{
    size_t begin = 0;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.at[i];
        if (c != '{' && c != '}')
            continue;
        add_piece(section, str_slice(text, begin, i), false);
        if (i + 1 < text.len && text.at[i + 1] == c) {
            add_piece(section, str_slice(text, i, i + 1), false);
            begin = i + 2;
            i++;
            continue;
        }
        ptrdiff_t close = str_find_char(str_from(text, i), '}');
        if (c == '}' || close == STR_NONE)
            return "a lone brace; write {{ or }} for a literal one";
        struct str name = str_slice(text, i + 1, i + (size_t)close);
        if (!knows_field(spec, name))
            return "a placeholder that is not a field of this prompt";
        add_piece(section, name, true);
        i += (size_t)close;
        begin = i + 1;
    }
    add_piece(section, str_from(text, begin), false);
    return section->piece_count == MAX_PIECES ? "too many placeholders" : NULL;
}

/* Whether line begins a section, and whose. */
static bool starts_section(struct str line, enum llm_role *role)
{
    line = str_trim(line);
    if (str_equal(line, STR("### system")))
        *role = LLM_SYSTEM;
    else if (str_equal(line, STR("### user")))
        *role = LLM_USER;
    else
        return false;
    return true;
}

/* The lines before the next section line; *rest is left at that line, or absent. */
static struct str take_body(struct str *rest)
{
    enum llm_role role;
    const char *begin = rest->at;
    size_t len = 0;
    while (!str_is_absent(*rest)) {
        struct str at_line = *rest, line = str_split(rest, '\n');
        if (starts_section(line, &role)) {
            *rest = at_line;
            break;
        }
        len = (size_t)(line.at + line.len - begin);
    }
    return str_trim(str_make(begin, len));
}

/* Split the file at its section lines. Returns what is wrong with it, or NULL. */
static const char *parse_prompt(const struct prompt_spec *spec, struct prompt *prompt,
                                struct str rest)
{
    if (!str_is_utf8(rest))
        return "not UTF-8";
    if (take_body(&rest).len > 0)
        return "text before the first '### system' or '### user' line";
    while (!str_is_absent(rest)) {
        if (prompt->section_count == MAX_SECTIONS)
            return "more than four sections";
        struct section *section = &prompt->sections[prompt->section_count++];
        (void)starts_section(str_split(&rest, '\n'), &section->role);
        const char *problem = cut_pieces(spec, section, take_body(&rest));
        if (problem != NULL)
            return problem;
    }
    return prompt->section_count == 0 ? "no '### user' section" : NULL;
}

/* Split "folder/file". */
static struct str name_folder(const struct prompt_spec *spec, struct str *file)
{
    *file = str_of(spec->name);
    return str_split(file, '/');
}

static const char *load_prompt(const struct prompt_spec *spec, const char *dir,
                               struct prompt *prompt)
{
    struct str file, folder = name_folder(spec, &file);
    int len = snprintf(prompt->path, sizeof prompt->path, "%s/%.*s/prompts/%.*s.txt", dir,
                       STR_ARG(folder), STR_ARG(file));
    prompt->spec = spec;
    if (len < 0 || (size_t)len >= sizeof prompt->path)
        return "its path is too long";
    if (!read_prompt(prompt))
        return "cannot be read, or is over 64 KiB";
    return parse_prompt(spec, prompt, buf_str(&prompt->text));
}

static struct prompt_set *create_set(const struct prompt_list *lists, size_t list_count)
{
    size_t count = 0;
    for (size_t i = 0; i < list_count; i++)
        count += lists[i].count;
    struct prompt_set *set = mem_zalloc(1, sizeof *set + count * sizeof set->prompts[0]);
    if (set != NULL)
        set->count = count;
    return set;
}

static void add_problem(const struct prompt_spec *spec, const char *problem, struct buf *problems)
{
    struct str file, folder = name_folder(spec, &file);
    buf_printf(problems, "%s%.*s/prompts/%.*s.txt: %s", buf_len(problems) > 0 ? "; " : "",
               STR_ARG(folder), STR_ARG(file), problem);
}

enum err_code prompt_set_load(const char *dir, const struct prompt_list *lists, size_t list_count,
                              struct prompt_set **out, struct err *err)
{
    struct prompt_set *set = create_set(lists, list_count);
    struct prompt *prompt = set == NULL ? NULL : set->prompts;
    struct buf problems;
    if (set == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for the prompts");
    if (access(dir, R_OK | X_OK) != 0) {
        prompt_set_destroy(set);
        return err_set(err, ERR_INVALID, "prompts in '%s' (ASKD_PROMPT_DIR): %s", dir,
                       strerror(errno));
    }
    buf_init(&problems, ERR_TEXT_BYTES);
    for (size_t i = 0; i < list_count; i++)
        for (size_t j = 0; j < lists[i].count; j++) {
            const char *problem = load_prompt(&lists[i].specs[j], dir, prompt++);
            if (problem != NULL)
                add_problem(&lists[i].specs[j], problem, &problems);
        }
    enum err_code code = ERR_OK;
    if (buf_len(&problems) > 0 || !buf_ok(&problems))
        code = err_set(err, ERR_INVALID, "prompts in '%s' (ASKD_PROMPT_DIR): %.*s", dir,
                       STR_ARG(buf_str(&problems)));
    buf_fini(&problems);
    if (code != ERR_OK) {
        prompt_set_destroy(set);
        return code;
    }
    *out = set;
    return ERR_OK;
}

void prompt_set_destroy(struct prompt_set *set)
{
    if (set == NULL)
        return;
    for (size_t i = 0; i < set->count; i++)
        buf_fini(&set->prompts[i].text);
    mem_free(set);
}

bool prompt_set_changed(const struct prompt_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        const struct prompt *prompt = &set->prompts[i];
        struct stat facts;
        if (stat(prompt->path, &facts) != 0 || facts.st_size != prompt->size ||
            facts.st_mtim.tv_sec != prompt->changed.tv_sec ||
            facts.st_mtim.tv_nsec != prompt->changed.tv_nsec)
            return true;
    }
    return false;
}

static struct str find_value(const struct llm_field *fields, size_t count, struct str name)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(fields[i].name, name))
            return fields[i].value;
    return STR("");
}

/* Append to *to, unless it is NULL. Returns how many bytes. */
static size_t copy_text(char **to, struct str text)
{
    if (*to != NULL && text.len > 0) {
        memcpy(*to, text.at, text.len);
        *to += text.len;
    }
    return text.len;
}

/* Write what the piece stands for; NULL: nowhere. In a block of data no tag begins, so that data
 * cannot close its block: "<" is written "&lt;". Returns how many bytes it takes. */
static size_t copy_piece(const struct piece *piece, const struct llm_field *fields, size_t count,
                         char *to)
{
    struct str rest = piece->is_field ? find_value(fields, count, piece->text) : piece->text;
    size_t len = 0;
    for (ptrdiff_t tag;
         piece->is_field && piece->is_data && (tag = str_find_char(rest, '<')) != STR_NONE;) {
        len += copy_text(&to, str_slice(rest, 0, (size_t)tag)) + copy_text(&to, STR("&lt;"));
        rest = str_from(rest, (size_t)tag + 1);
    }
    return len + copy_text(&to, rest);
}

static struct str render_section(const struct section *section, const struct llm_field *fields,
                                 size_t field_count, struct arena *arena)
{
    size_t len = 0;
    for (size_t i = 0; i < section->piece_count; i++)
        len += copy_piece(&section->pieces[i], fields, field_count, NULL);
    char *text = arena_raw(arena, len), *to = text;
    for (size_t i = 0; text != NULL && i < section->piece_count; i++)
        to += copy_piece(&section->pieces[i], fields, field_count, to);
    return str_make(text, text == NULL ? 0 : len);
}

const struct prompt *prompt_make(struct str text, bool is_plain, struct arena *arena,
                                 struct err *err)
{
    struct prompt *prompt = arena_alloc(arena, sizeof *prompt);
    const char *problem;
    if (prompt == NULL) {
        err_set(err, ERR_NO_MEMORY, "no memory for a prompt");
        return NULL;
    }
    if (is_plain) {
        prompt->section_count = 1;
        prompt->sections[0].role = LLM_USER;
        problem = cut_pieces(NULL, &prompt->sections[0], text);
    } else {
        problem = parse_prompt(NULL, prompt, text);
    }
    if (problem == NULL)
        return prompt;
    err_set(err, ERR_INVALID, "%s", problem);
    return NULL;
}

struct str prompt_field(const struct prompt *prompt, size_t i)
{
    for (size_t s = 0; s < prompt->section_count; s++)
        for (size_t p = 0; p < prompt->sections[s].piece_count; p++)
            if (prompt->sections[s].pieces[p].is_field && i-- == 0)
                return prompt->sections[s].pieces[p].text;
    return str_make(NULL, 0);
}

struct str prompt_text(const struct prompt *prompt, const struct llm_field *fields,
                       size_t field_count, struct arena *arena)
{
    struct str text = render_section(&prompt->sections[0], fields, field_count, arena);
    return arena_ok(arena) ? text : str_make(NULL, 0);
}

struct llm_message *prompt_render(const struct prompt_set *set, const char *name,
                                  const struct llm_field *fields, size_t field_count,
                                  size_t extra_messages, struct arena *arena, size_t *count,
                                  size_t *extra_at)
{
    size_t which = 0;
    while (which < set->count && !str_equal(str_of(set->prompts[which].spec->name), str_of(name)))
        which++;
    CHECK(which < set->count);
    return prompt_write(&set->prompts[which], fields, field_count, extra_messages, arena, count,
                        extra_at);
}

struct llm_message *prompt_write(const struct prompt *prompt, const struct llm_field *fields,
                                 size_t field_count, size_t extra_messages, struct arena *arena,
                                 size_t *count, size_t *extra_at)
{
    struct llm_message *messages =
        arena_array(arena, prompt->section_count + extra_messages, sizeof *messages);
    if (messages == NULL)
        return NULL;
    *count = 0;
    *extra_at = 0;
    for (size_t i = 0; i < prompt->section_count; i++) {
        if (*count == *extra_at && prompt->sections[i].role == LLM_USER) {
            *extra_at = *count;
            *count += extra_messages;
        }
        messages[(*count)++] =
            (struct llm_message){prompt->sections[i].role,
                                 render_section(&prompt->sections[i], fields, field_count, arena)};
        if (prompt->sections[i].role == LLM_SYSTEM)
            *extra_at = *count;
    }
    return arena_ok(arena) ? messages : NULL;
}
