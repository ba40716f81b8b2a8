#ifndef LT_PJRT_TRANSLATE_H
#define LT_PJRT_TRANSLATE_H

/* Translates expressions of ops.def and of functions.def to lines of StableHLO. */

#include "pjrt/emit.h"

/* The value of an expression: a value of the program, or a number whose dtype follows from its use (`value` is EMIT_NONE then). */
typedef struct term {
  int        value;
  enum dtype dtype;                    /* DT_none of a number */
  scalar     number;
} term;

/* A name of an expression, such as "x". */
typedef struct name {
  const char *text;                    /* not terminated by 0 */
  int         length;
  term        term;
} name;

enum { MOST_NAMES = 12 };

/* The surroundings of an expression. */
typedef struct translation {
  emission    *e;
  const shape *shape;                  /* of all values */
  enum dtype   C, A;                   /* the types C and A of the expression; A: DT_none if there is none */
  int          count;
  name         names[MOST_NAMES];
  const char  *at;                     /* the next character of the expression */
  bool         failed;                 /* the expression cannot be translated */
} translation;

void translation_open(translation *s, emission *e, const shape *shape, enum dtype C, enum dtype A);
void translation_add(translation *s, const char *name, term t);            /* `name` outlives the translation */

term term_of(int value, enum dtype d);
term term_number(double x);

/* Translates a text, `name = expression; …; expression`, and converts its value to dtype `to` (DT_none: leaves it). After
** a failure `failed` is set, and the value is without meaning. */
term translate(translation *s, const char *text, enum dtype to);

#endif
