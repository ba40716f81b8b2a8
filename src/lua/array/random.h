#ifndef LT_LUA_ARRAY_RANDOM_H
#define LT_LUA_ARRAY_RANDOM_H

/* While a graph is captured, the address of this variable is the registry key of a table of the graph. The table's keys
** are the generators from which the graph draws. Its list has the functions that a replay calls first. */
extern const char captured_uses;

#endif
