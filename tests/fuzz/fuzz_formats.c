/* SPDX-License-Identifier: MIT */
/* Any bytes as a file of Word, Excel, CSV or JSON, whole or as a part of an archive; what comes is
 * well-formed UTF-8. The first byte chooses. */
#include <stdint.h>
#include <stdlib.h>
#include <zip.h>

#include "agents/docs/formats/formats.h"

enum { OUT_BYTES = 4 << 20, ARCHIVE_BYTES = 4 << 20, CHOICES = 10 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void convert(enum formats_kind kind, struct str bytes)
{
    struct buf out;
    struct err err = {0};
    buf_init(&out, OUT_BYTES);
    enum err_code code = formats_write_html(kind, bytes, &out, &err);
    if (code == ERR_OK ? !str_is_utf8(buf_str(&out)) : err.text[0] == '\0')
        abort();
    buf_fini(&out);
}

/* bytes as the part of that path, all others being there as well. */
static void convert_part(enum formats_kind kind, const char *path, struct str bytes)
{
    static const char book[] = "<w><sheets><sheet name='a' id='r'/></sheets></w>",
                      relations[] = "<R><Relationship Id='r' Target='s.xml'/></R>";
    zip_stat_t stat;
    zip_source_t *source = zip_source_buffer_create(NULL, 0, 0, NULL);
    zip_t *zip = source == NULL ? NULL : zip_open_from_source(source, ZIP_TRUNCATE, NULL);
    if (zip == NULL)
        return;
    zip_source_keep(source);
    (void)zip_file_add(zip, "xl/workbook.xml", zip_source_buffer(zip, book, sizeof book - 1, 0), 0);
    (void)zip_file_add(zip, "xl/_rels/workbook.xml.rels",
                       zip_source_buffer(zip, relations, sizeof relations - 1, 0), 0);
    zip_int64_t added =
        zip_file_add(zip, path, zip_source_buffer(zip, bytes.at, bytes.len, 0), ZIP_FL_OVERWRITE);
    if (added >= 0)
        (void)zip_set_file_compression(zip, (zip_uint64_t)added, ZIP_CM_STORE, 0);
    char *packed =
        zip_close(zip) == 0 && zip_source_stat(source, &stat) == 0 && stat.size < ARCHIVE_BYTES
            ? malloc(stat.size)
            : NULL;
    if (packed != NULL && zip_source_open(source) == 0) {
        if (zip_source_read(source, packed, stat.size) == (zip_int64_t)stat.size)
            convert(kind, str_make(packed, stat.size));
        zip_source_close(source);
    }
    free(packed);
    zip_source_free(source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct {
        enum formats_kind kind;
        const char *path; /* NULL: the bytes are the file */
    } choices[CHOICES] = {
        {FORMATS_CSV, NULL},
        {FORMATS_JSON, NULL},
        {FORMATS_DOCX, NULL},
        {FORMATS_XLSX, NULL},
        {FORMATS_DOCX, "word/document.xml"},
        {FORMATS_DOCX, "word/styles.xml"},
        {FORMATS_XLSX, "xl/s.xml"},
        {FORMATS_XLSX, "xl/sharedStrings.xml"},
        {FORMATS_XLSX, "xl/styles.xml"},
        {FORMATS_XLSX, "xl/workbook.xml"},
    };
    if (size == 0)
        return 0;
    size_t choice = data[0] % CHOICES;
    struct str bytes = str_make((const char *)data + 1, size - 1);
    if (choices[choice].path == NULL)
        convert(choices[choice].kind, bytes);
    else
        convert_part(choices[choice].kind, choices[choice].path, bytes);
    return 0;
}
