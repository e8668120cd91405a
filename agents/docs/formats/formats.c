/* SPDX-License-Identifier: MIT */
/* agents/docs/formats/formats.c - a table of formats. Failure: told by the format's own writer. */
#include "agents/docs/formats/formats.h"

#include "agents/docs/formats/docx.h"
#include "agents/docs/formats/pdf.h"
#include "agents/docs/formats/tables.h"
#include "agents/docs/formats/xlsx.h"

static const struct {
    const char *name;
    enum err_code (*write)(struct str bytes, struct buf *out, struct err *err);
} formats[] = {
    [FORMATS_PDF] = {"pdf", pdf_write_html},      [FORMATS_DOCX] = {"docx", docx_write_html},
    [FORMATS_XLSX] = {"xlsx", xlsx_write_html},   [FORMATS_CSV] = {"csv", tables_write_csv},
    [FORMATS_JSON] = {"json", tables_write_json},
};

bool formats_of_name(struct str name, enum formats_kind *kind)
{
    static const struct {
        const char *ending;
        enum formats_kind kind;
    } endings[] = {
        {".pdf", FORMATS_PDF},     {".docx", FORMATS_DOCX}, {".xlsx", FORMATS_XLSX},
        {".csv", FORMATS_CSV},     {".json", FORMATS_JSON}, {".jsonl", FORMATS_JSON},
        {".ndjson", FORMATS_JSON},
    };
    for (size_t i = 0; i < countof(endings); i++) {
        if (!str_ends_with_nocase(name, str_of(endings[i].ending)))
            continue;
        *kind = endings[i].kind;
        return true;
    }
    return false;
}

const char *formats_name(enum formats_kind kind)
{
    return formats[kind].name;
}

enum err_code formats_write_html(enum formats_kind kind, struct str bytes, struct buf *out,
                                 struct err *err)
{
    if (bytes.len > FORMATS_MAX_FILE)
        return err_set(err, ERR_TOO_LARGE, "the file has more than %d MiB", FORMATS_MAX_FILE >> 20);
    enum err_code code = formats[kind].write(bytes, out, err);
    if (code == ERR_OK && !buf_ok(out))
        return err_set(err, ERR_TOO_LARGE, "it holds more text than %zu MiB", out->limit >> 20);
    return code;
}
