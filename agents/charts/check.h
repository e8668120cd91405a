/* SPDX-License-Identifier: MIT */
/* agents/charts/check.h - whether a Chart.js 4 configuration that somebody else wrote can be drawn,
 * and is allowed.
 *
 * Can be drawn: a configuration on which Chart.js would throw, log an error or silently draw
 * nothing is refused; functions in disguise are refused as well. Is allowed: the rules of choose.h
 * hold for it. The input is hostile. Pure; any thread. */
#ifndef AGENTS_CHARTS_CHECK_H
#define AGENTS_CHARTS_CHECK_H

#include "core/base/arena.h"
#include "core/base/err.h"

struct json_value;

enum { CHARTS_CHECK_BYTES = 256 * 1024, CHARTS_CHECK_SERIES = 24 };

/* ERR_INVALID: the first thing that is wrong, at its JSON pointer: "/data/datasets/0/data: expected
 * 3 values, one for each label, got 2". */
MUST_USE enum err_code charts_check_config(const struct json_value *config, struct err *err);
/* Read json and check it as charts_check_config does. ERR_TOO_LARGE and ERR_NO_MEMORY besides. */
MUST_USE enum err_code charts_check_text(struct str json, struct arena *arena, struct err *err);

#endif
