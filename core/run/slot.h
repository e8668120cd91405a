/* SPDX-License-Identifier: MIT */
/* core/run/slot.h - which slot of a graph's state a table's field names, or that it names none.
 *
 * A field that a table leaves out is zero, and zero names no slot: so an absent field is never
 * taken for the first slot. */
#ifndef CORE_RUN_SLOT_H
#define CORE_RUN_SLOT_H

#include "core/base/defs.h"

struct slot_ref {
    uint16_t number; /* private: 1 + the slot's index; 0: none */
};

/* The initialiser of a field: .output_slot = SLOT(BANKING_SUMMARY) */
#define SLOT(index)                                                                                \
    {                                                                                              \
        (uint16_t)(1 + (index))                                                                    \
    }

/* Whether ref names a slot. */
static inline bool slot_is_named(struct slot_ref ref)
{
    return ref.number != 0;
}

/* The slot's index in the schema. Only of a ref that names one. */
static inline unsigned slot_index(struct slot_ref ref)
{
    CHECK(ref.number != 0);
    return ref.number - 1u;
}

#endif
