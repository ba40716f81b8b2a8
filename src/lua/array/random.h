#ifndef LT_LUA_ARRAY_RANDOM_H
#define LT_LUA_ARRAY_RANDOM_H

/* The address of this variable is the registry key of the table that keeps the generators from which a captured graph
** draws. */
extern const char captured_generators;

#endif
