/* SPDX-License-Identifier: MIT */
/* agents/charts/check_options.h - checks the options and datasets of a configuration for check.h,
 * except their numbers: scales, axes, captions, colours, and no functions anywhere. Any thread. */
#ifndef AGENTS_CHARTS_CHECK_OPTIONS_H
#define AGENTS_CHARTS_CHECK_OPTIONS_H

#include "core/base/err.h"

struct json_value;

/* Check config, whose type and datasets have passed the check of their numbers. ERR_INVALID as
 * charts_check_config. */
MUST_USE enum err_code charts_check_options(const struct json_value *config, struct err *err);

#endif
