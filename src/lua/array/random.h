#ifndef LT_LUA_ARRAY_RANDOM_H
#define LT_LUA_ARRAY_RANDOM_H

/* Registry key, by its address, of the table that keeps the generators from which a captured graph draws. */
extern const char captured_generators;

#endif
