#ifndef LT_AUTOGRAD_NODE_H
#define LT_AUTOGRAD_NODE_H

/* Nodes: what autograd remembers of an op. A node is a userdata that knows its results, its inputs, the parameters of
** the call, and (user values) its rule and where gradients go on. What a rule needs of tensors is kept as storages, not
** as Lua's tensors: they go the moment the node is let go, and a result that is kept does not keep itself alive. */

#include "lua/args.h"

/* A result or an input. */
typedef struct node_value {
  enum { VALUE_none, VALUE_tensor, VALUE_integer, VALUE_float, VALUE_boolean } kind;
  bool      needs;             /* an input whose gradient is wanted: */
  bool      is_leaf;           /*   its edge is the leaf itself, else */
  int       output;            /*   a node, of which this result */
  int       ndim;
  int64_t  *dims;              /* lengths; of what is kept, strides after them */
  enum dtype dtype;
  place     place;
  bool      weak;
  uint32_t  version;           /* the storage's at that time */
  storage  *store;             /* kept; else NULL */
  union {
    struct { int64_t offset, count; };
    lua_Integer integer;       /* of a number or boolean */
    lua_Number  number;
  };
} node_value;

typedef struct node {
  const void *class;
  uint64_t  seq;               /* nodes come after those that they need */
  uint64_t  mark;              /* of the walk that saw it last */
  const char *name;
  bool      used;              /* backward has been here, and let go of everything */
  bool      failed;            /* a backward that began here raised an error */
  bool      ordered;           /* params has an order */
  int       nin, nout;
  op_params params;
  int8_t    order[MAX_DIMS];
  uint64_t  versions;          /* of the tensors in the arguments, added up */
  node_value value[];          /* results, then inputs */
} node;

enum { NODE_RULE = 1, NODE_ARGUMENTS, NODE_GRADIENTS, NODE_EDGES };   /* user values; input k's edge: NODE_EDGES + k */

/* The values of the call that a rule needs; lua/luatensor/gradients says how its letters are read. */
enum { RULE_INPUTS = 4, RULE_LETTERS = 8 };
typedef struct rule {
  const void *class;
  int  n;                                              /* inputs with a gradient of their own */
  char needs[1 + MAX_IN][RULE_LETTERS];                /* [0]: of the gradient of all inputs together */
  bool all;
} rule;

/* Pushes a new node for nin inputs and nout results, that have `dims` dims together. Once it keeps storages, node_own
** says that they are to be let go with it. */
node *push_node(lua_State *L, const char *name, int nin, int nout, int dims);

void node_own(lua_State *L, int at);

/* Sets a value from a tensor; keep: its elements, too. *room: where its dims go. changed: it was written to since. */
void node_set_tensor(node_value *v, const tensor *t, bool keep, bool changed, int64_t **room);

/* Sets a value from what is no tensor: the number or boolean at stack index i. */
void node_set_number(lua_State *L, node_value *v, int i);

/* Pushes a copy of the arguments from stack index first to last, as one table. Adds up versions of tensors in it. */
void push_arguments(lua_State *L, int first, int last, uint64_t *versions);

/* The versions of the tensors in the arguments at i, added up. */
uint64_t argument_versions(lua_State *L, int i);

/* Pushes the value's shape as a list. */
void push_lengths(lua_State *L, const node_value *v);

/* Pushes what a rule's letters say of the node at `at`, one value each. graph: as part of the graph. spares: a table
** whose first tensors are used again for it, as many as are returned; 0: new ones are. */
int push_kept(lua_State *L, int at, const char *letters, bool graph, int spares);

/* The node at `at` was used: everything that it keeps goes, and its edges. */
void node_let_go(lua_State *L, int at);

node *test_node(lua_State *L, int i);
node *check_node(lua_State *L, int i);
rule *test_rule(lua_State *L, int i);

#endif
