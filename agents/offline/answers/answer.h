/* SPDX-License-Identifier: MIT */
/* agents/offline/answers/answer.h - rows -> text: one sentence, by the shape of the reading, and
 * the type of chart that shows the rows. */
#ifndef AGENTS_OFFLINE_ANSWERS_ANSWER_H
#define AGENTS_OFFLINE_ANSWERS_ANSWER_H

#include "agents/offline/answers/answer_table.h"

/* Append the answer. reading NULL: the offline engine did not read the question, and the answer
 * only lists the rows. False: the rows are not JSON. */
MUST_USE bool offline_answer_write(const struct lexicon *lexicon,
                                   const struct offline_reading *reading,
                                   const struct answer_rows *rows, struct buf *out);
/* The type of chart for the rows: "metric", "line", "bar", "pie", "doughnut" or "table". Static. */
const char *offline_answer_chart(const struct offline_reading *reading,
                                 const struct answer_rows *rows);

#endif
