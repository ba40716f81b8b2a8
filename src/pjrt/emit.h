#ifndef LT_PJRT_EMIT_H
#define LT_PJRT_EMIT_H

/* Writes programs in the text form of StableHLO. A program is a list of lines, each of which computes a value from earlier
** values. Value 12 is written %12. The functions return numbers of values. */

#include "base/shape.h"
#include "base/status.h"

enum { EMIT_NONE = -1 };               /* no value */

/* Text that grows. */
typedef struct emission {
  char  *text;                         /* NULL: empty */
  size_t length, room;
  int    status;                       /* the first error, after which nothing is appended, and values have no meaning */
  int    next;                         /* the number of the next value */
} emission;

static inline void emit_fail(emission *e, int st) { if (e->status == OK) e->status = st; }

static const shape no_dims = {.ndim = 0};

/* Appends text by a format:
**
**      %d, %i, %s   an int, an int64_t, a text
**      %t           an enum dtype and a const shape *: a type such as tensor<2x3xf32>
**      %a           a const int64_t * and the number of its elements: 0, 2, 3 */
void emit(emission *e, const char *format, ...);

/* Appends `%n = …` and a line's end, and returns n. */
int emit_line(emission *e, const char *format, ...);

void emit_text(emission *e, const char *text, size_t length);

bool emit_equal(const emission *a, const emission *b);

/* Returns a hash of the lines from a position on. If `numbers` is false, the numbers of values do not count. */
uint64_t emit_hash(const emission *e, size_t from, bool numbers);

/* Makes room for a text. Returns false if that is impossible; then nothing has changed. */
bool emit_reserve(emission *e, size_t length);

/* Stores a number of a script as an element of dtype d, as the CPU does. */
void number_element(scalar v, enum dtype d, uint64_t to[2]);

/* Appends the line of a tensor whose elements are all equal to `value`. */
int emit_constant(emission *e, enum dtype d, const shape *s, scalar value);

/* Appends the 0-based positions along a dim. */
int emit_iota(emission *e, enum dtype d, const shape *s, int dim);

/* Returns the value in another shape, with the elements in unchanged row-major order. */
int emit_reshape(emission *e, int value, enum dtype d, const shape *from, const shape *to);

/* Stretches a value. Dim k of the value is dim dims[k] of the result. */
int emit_broadcast(emission *e, int value, enum dtype d, const shape *from, const int64_t *dims, const shape *to);

/* Puts a value into one of shape `to` whose other elements are `fill`. low[k] elements are before those of dim k, and inner[k]
** between two of them. Elements for which there is no room are left out, also at the beginning if low[k] is negative. */
int emit_pad(emission *e, int value, enum dtype d, const shape *from, scalar fill, const int64_t *low, const int64_t *inner,
             const shape *to);

/* Takes a part of a value of shape `from`, from position start[k] of each dim k on. */
int emit_slice(emission *e, int value, enum dtype d, const shape *from, const int64_t *start, const shape *to);

#endif
