/* SPDX-License-Identifier: MIT */
/* server/facades/agui/agui_encoder.h - a run as AG-UI 1.0 events: docs/facades.md has the table. */
#ifndef SERVER_FACADES_AGUI_AGUI_ENCODER_H
#define SERVER_FACADES_AGUI_AGUI_ENCODER_H

#include "core/base/arena.h"
#include "server/http/encoder.h"

struct agui_encoder_options {             /* kept by view */
    struct arena *arena;                  /* of the exchange: for the names of steps */
    struct str thread_id, run_id;         /* as the client calls them */
    bool passed_tools, passed_properties; /* what was passed over, which is said */
};

/* Make one. NULL: no memory. */
struct encoder *agui_encoder_create(const struct agui_encoder_options *options);

#endif
