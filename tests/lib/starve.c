/* SPDX-License-Identifier: MIT */
/* tests/lib/starve.c - rebinds the allocator's names in the tables by which libraries call it.
 *
 * A shared object calls malloc through a slot that the dynamic linker fills; its relocations say
 * which slot is whose. The slots of the libraries below are filled with the functions here, once,
 * at the first starve_at. Slots that were made read-only are made writable for that. */
#include "tests/lib/starve.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char *const libraries[] = {
    "libcurl",    "libuv",       "libpq.",  "libmariadb", "libhiredis", "libsqlite3",
    "libnghttp2", "libpg_query", "libzip.", "libxml2",    "libz.",      "libmd4c",
};

static atomic_uint_least64_t seen, first, last; /* first 0: nothing fails */
static unsigned found;
static bool is_program_bound;
static _Thread_local bool is_spared;

/* The allocator's own; those names lead to the functions below, here too, once the program's do. */
static struct {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void *(*reallocarray)(void *, size_t, size_t);
    char *(*strdup)(const char *);
    char *(*strndup)(const char *, size_t);
} real;

static void find_real(void)
{
    *(void **)&real.malloc = dlsym(RTLD_DEFAULT, "malloc");
    *(void **)&real.calloc = dlsym(RTLD_DEFAULT, "calloc");
    *(void **)&real.realloc = dlsym(RTLD_DEFAULT, "realloc");
    *(void **)&real.reallocarray = dlsym(RTLD_DEFAULT, "reallocarray");
    *(void **)&real.strdup = dlsym(RTLD_DEFAULT, "strdup");
    *(void **)&real.strndup = dlsym(RTLD_DEFAULT, "strndup");
}

static bool must_fail(void)
{
    if (is_spared)
        return false;
    uint64_t at = atomic_fetch_add(&seen, 1) + 1, from = atomic_load(&first);
    if (from == 0 || at < from || at > atomic_load(&last))
        return false;
    errno = ENOMEM;
    return true;
}

static void *starved_malloc(size_t size)
{
    return must_fail() ? NULL : real.malloc(size);
}

static void *starved_calloc(size_t count, size_t size)
{
    return must_fail() ? NULL : real.calloc(count, size);
}

static void *starved_realloc(void *at, size_t size)
{
    return must_fail() ? NULL : real.realloc(at, size);
}

static void *starved_reallocarray(void *at, size_t count, size_t size)
{
    return must_fail() ? NULL : real.reallocarray(at, count, size);
}

static char *starved_strdup(const char *text)
{
    return must_fail() ? NULL : real.strdup(text);
}

static char *starved_strndup(const char *text, size_t len)
{
    return must_fail() ? NULL : real.strndup(text, len);
}

typedef void any_fn(void);

static const struct {
    const char *name;
    any_fn *starved;
} names[] = {
    {"malloc", (any_fn *)starved_malloc},   {"calloc", (any_fn *)starved_calloc},
    {"realloc", (any_fn *)starved_realloc}, {"reallocarray", (any_fn *)starved_reallocarray},
    {"strdup", (any_fn *)starved_strdup},   {"__strdup", (any_fn *)starved_strdup},
    {"strndup", (any_fn *)starved_strndup}, {"__strndup", (any_fn *)starved_strndup},
};

struct object { /* what of a shared object's dynamic section matters */
    ElfW(Addr) base;
    const ElfW(Sym) * symbols;
    const char *strings;
    const ElfW(Rela) * tables[2];
    size_t bytes[2];
};

static ElfW(Addr) address(const struct object *object, ElfW(Addr) at)
{
    return at < object->base ? object->base + at : at; /* the linker has made them whole, or not */
}

static void read_dynamic(struct object *object, const ElfW(Dyn) * entry)
{
    for (; entry->d_tag != DT_NULL; entry++) {
        ElfW(Addr) at = address(object, entry->d_un.d_ptr);
        if (entry->d_tag == DT_SYMTAB)
            object->symbols = (const ElfW(Sym) *)at;
        else if (entry->d_tag == DT_STRTAB)
            object->strings = (const char *)at;
        else if (entry->d_tag == DT_JMPREL)
            object->tables[0] = (const ElfW(Rela) *)at;
        else if (entry->d_tag == DT_PLTRELSZ)
            object->bytes[0] = entry->d_un.d_val;
        else if (entry->d_tag == DT_RELA)
            object->tables[1] = (const ElfW(Rela) *)at;
        else if (entry->d_tag == DT_RELASZ)
            object->bytes[1] = entry->d_un.d_val;
    }
}

static void bind_slot(ElfW(Addr) at, any_fn *starved)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *from = (void *)(at / page * page);
    any_fn **slot = (any_fn **)at;
    if (mprotect(from, page, PROT_READ | PROT_WRITE) == 0)
        *slot = starved;
}

static void bind_table(const struct object *object, const ElfW(Rela) * table, size_t bytes)
{
    for (size_t i = 0; table != NULL && i < bytes / sizeof *table; i++) {
        size_t symbol = ELF64_R_SYM(table[i].r_info);
        if (symbol == 0 || table[i].r_addend != 0)
            continue;
        const char *name = object->strings + object->symbols[symbol].st_name;
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
            if (strcmp(name, names[k].name) == 0)
                bind_slot(object->base + table[i].r_offset, names[k].starved);
    }
}

static bool is_named(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *file = slash == NULL ? path : slash + 1;
    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++)
        if (strncmp(file, libraries[i], strlen(libraries[i])) == 0)
            return true;
    return false;
}

/* wants_program: the program itself, whose name is empty; else the libraries. */
static int bind_object(struct dl_phdr_info *info, size_t size, void *wants_program)
{
    (void)size;
    if (wants_program != NULL ? info->dlpi_name[0] != '\0' : !is_named(info->dlpi_name))
        return 0;
    struct object object = {.base = info->dlpi_addr};
    for (size_t i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            read_dynamic(&object,
                         (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr));
    if (object.symbols == NULL || object.strings == NULL)
        return 0;
    for (size_t i = 0; i < 2; i++)
        bind_table(&object, object.tables[i], object.bytes[i]);
    found += wants_program == NULL;
    return 0;
}

void starve_at(uint64_t n, uint64_t count)
{
    if (found == 0) {
        find_real();
        dl_iterate_phdr(bind_object, NULL);
    }
    atomic_store(&first, 0);
    atomic_store(&seen, 0);
    atomic_store(&last, n + count - 1);
    atomic_store(&first, n);
}

void starve_others_at(uint64_t n, uint64_t count)
{
    is_spared = true;
    if (!is_program_bound) {
        find_real();
        dl_iterate_phdr(bind_object, &is_program_bound);
        is_program_bound = true;
    }
    starve_at(n, count);
}

uint64_t starve_end(void)
{
    atomic_store(&first, 0);
    return atomic_load(&seen);
}

unsigned starve_libraries(void)
{
    return found;
}
