#ifndef LT_OP_EXPRESSION_H
#define LT_OP_EXPRESSION_H

/* Element-wise expressions that wait in compiled functions (op/deferral.h). */

#include "op/elementwise.h"

/* Like elementwise_run, but the expression may be deferred. Then e must stay as it is until the deferral is closed. */
int elementwise_run_later(const elementwise *e, const job *j, tensor *out);

#endif
