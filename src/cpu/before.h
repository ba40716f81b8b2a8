#ifndef LT_CPU_BEFORE_H
#define LT_CPU_BEFORE_H

/* The order of elements in a search. */

/* True if a sorts before b. NaN sorts last. The expression has no branches, because in a random search half of all
** branches are mispredicted, and because vectors have none. */
#define SORTS_BEFORE(a, b) (((a) < (b)) | (((b) != (b)) & ((a) == (a))))

#endif
