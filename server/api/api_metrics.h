/* SPDX-License-Identifier: MIT */
/* server/api/api_metrics.h - GET /metrics: the values of all workers as Prometheus text. */
#ifndef SERVER_API_API_METRICS_H
#define SERVER_API_API_METRICS_H

struct exchange;

void api_metrics(struct exchange *exchange);

#endif
