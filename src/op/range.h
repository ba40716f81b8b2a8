#ifndef LT_OP_RANGE_H
#define LT_OP_RANGE_H

/* Checks that the elements of a tensor are in a range. */

#include "base/tensor.h"

enum { RANGE_TEXT = 160 };

/* A check. The struct is copied to the list of a compiled function. */
typedef struct range_check {
  uint64_t excepts;              /* `except` is allowed as well */
  scalar   low, high, except;    /* of integers the field i, of floats f */
  char     text[RANGE_TEXT];     /* three strings behind each other. The first one is the subject of late errors. The message
                                 ** is the second one or, if the third one is not empty, both with the wrong integer between
                                 ** them */
} range_check;

/* Returns ERR_INDEX if an element is out of range, and writes the message to words[size]. The check may be deferred. Then the
** run of the list reports the error. mark: NULL, or inside of a compiled function a new tensor of one bool, which is the result
** of the deferred op. */
int range_check_later(const range_check *r, const tensor *x, tensor *mark, char *words, size_t size);

#endif
