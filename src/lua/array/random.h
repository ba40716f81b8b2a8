#ifndef LT_LUA_ARRAY_RANDOM_H
#define LT_LUA_ARRAY_RANDOM_H

/* Registry key (its address) of the table in which generators are kept that a graph draws from while it is captured. */
extern const char captured_generators;

#endif
