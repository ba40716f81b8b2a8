#ifndef LT_LUA_ARRAY_RANDOM_H
#define LT_LUA_ARRAY_RANDOM_H

/* While a graph is captured, the address of this variable is the registry key of a table of the graph. The table's keys
** are the generators from which the graph draws, and the leaves whose gradients the captured function changes, with their
** gradients before (false: none). Its list has pairs of functions: a replay first calls the
** first function of each pair and, if it fails, the second one of each pair whose first it has called. */
extern const char captured_uses;

#endif
