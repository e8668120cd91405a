/* SPDX-License-Identifier: MIT */
/* Declarations of tables and conditions: any text ends, and what is found is inside it. */
#include <stddef.h>
#include <stdint.h>

#include "agents/sql/catalog/declared.h"
#include "core/base/err.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_inside(struct str whole, struct str part)
{
    CHECK(part.len == 0 || (part.at >= whole.at && part.at + part.len <= whole.at + whole.len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { ARENA_BYTES = 1 << 20 };
    const struct str text = str_make((const char *)data, size);
    struct arena arena;
    struct declared_list list;
    const struct declared_item *item;
    arena_init(&arena, ARENA_BYTES);
    if (declared_read_list(&arena, text, &list))
        CHECK(list.count > 0 && list.count <= DECLARED_VALUES && list.column.len > 0);
    if (!declared_read_table(&arena, text, &item))
        item = NULL;
    for (; item != NULL; item = item->next) {
        struct str rest = item->text, condition;
        check_inside(text, item->text);
        check_inside(text, item->name);
        CHECK(str_is_utf8(item->comment));
        while (declared_next_check(&rest, &condition))
            check_inside(text, condition);
    }
    arena_fini(&arena);
    return 0;
}
