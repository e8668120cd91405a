/* SPDX-License-Identifier: MIT */
/* agents/offline/second_look/conditions.h - whether a statement has a condition of a question, in
 * whatever way it is written.
 *
 * Each answer gives the benefit of the doubt to what cannot be followed. Pure; any thread. */
#ifndef AGENTS_OFFLINE_SECOND_LOOK_CONDITIONS_H
#define AGENTS_OFFLINE_SECOND_LOOK_CONDITIONS_H

#include "agents/offline/second_look/claims.h"

/* Whether some comparison of the column (READING_NONE: of what is computed) with a number means op
 * number, to high for OP_BETWEEN; without any, whether it is written in some other way. */
bool offline_conditions_have_number(const struct claims *claims, const struct reading_column *on,
                                    enum offline_op op, double number, double high);
/* Whether some comparison, of whatever column, means op number. */
bool offline_conditions_compare_number(const struct claims *claims, enum offline_op op,
                                       double number, double high);
/* Whether the condition's column is asked to be another text than the condition's: that leaves
 * those out, too. */
bool offline_conditions_are_elsewhere(const struct claims *claims,
                                      const struct reading_filter *filter);
/* Whether each comparison with the text is on the wrong side of a NOT. */
bool offline_conditions_are_turned(const struct claims *claims, struct str text, bool denied);
/* Whether the column of the condition is named, or another one that may be meant instead. */
bool offline_conditions_are_there(const struct claims *claims, const struct reading_filter *filter);
/* The first text of the condition that is not in the statement; absent: each is. */
struct str offline_conditions_lack(const struct claims *claims,
                                   const struct reading_filter *filter);
/* Whether the condition's time or number is compared with as the question has it. */
bool offline_conditions_agree(const struct claims *claims, const struct reading_filter *filter);
/* Whether the comparison is with the text that the condition's column is called by: "completed" for
 * what is asked of completedAt. */
bool offline_conditions_called_by(const struct claims *claims, const struct reading_filter *filter,
                                  const struct claims_comparison *one);
/* Whether something else says what the condition's texts say: a code or a flag, a date of the same
 * name ("completedAt"), or a key that is called so ("inspectorId"). */
bool offline_conditions_by_another(const struct claims *claims, const struct offline_reading *r,
                                   const struct reading_filter *filter);
/* Whether the statement only leaves out other texts of the condition's column: "still open" is all
 * that is neither completed nor cancelled. */
bool offline_conditions_by_rest(const struct claims *claims, const struct reading_filter *filter);

#endif
