/* SPDX-License-Identifier: MIT */
/* server/facades/openai/models.h - GET /v1/models and /v1/models/{model}: the graphs, as OpenAI's
 * clients list models. */
#ifndef SERVER_FACADES_OPENAI_MODELS_H
#define SERVER_FACADES_OPENAI_MODELS_H

#include "server/http/route.h"

route_fn models_list, models_show;

#endif
