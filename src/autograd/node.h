#ifndef LT_AUTOGRAD_NODE_H
#define LT_AUTOGRAD_NODE_H

/* Nodes record ops for autograd. A node is a userdata with the op's results and inputs and the parameters of the
** call. Its user values are its rule and its edges to other nodes. Tensors that a rule needs are kept as storages,
** not as Lua's tensors. So the memory is freed as soon as the node is released, and a kept result does not keep
** itself alive. */

#include "lua/args.h"

/* A result or an input. */
typedef struct node_value {
  enum { VALUE_none, VALUE_tensor, VALUE_integer, VALUE_float, VALUE_boolean } kind;
  bool      needs;             /* an input whose gradient is wanted */
  bool      is_leaf;           /* true: the edge is the leaf itself   its edge is the leaf itself, else */
  int       output;            /* otherwise the edge is a node, and this the number of its result
                               **   a node, of which this result */
  int       ndim;
  int64_t  *dims;              /* lengths; strides follow if elements are kept */
  enum dtype dtype;
  place     place;
  bool      weak;
  uint32_t  version;           /* the storage's version at that time */
  storage  *store;             /* kept storage, or NULL */
  union {
    struct { int64_t offset, count; };
    lua_Integer integer;       /* value of a number or boolean */
    lua_Number  number;
  };
} node_value;

typedef struct node {
  const void *class;
  uint64_t  seq;               /* increases: a node comes after those that it needs */
  uint64_t  mark;              /* number of the last walk that saw the node */
  const char *name;
  bool      used;              /* backward has used the node and released everything */
  bool      failed;            /* a backward that started here raised an error */
  bool      ordered;           /* params contains an order */
  int       nin, nout;
  op_params params;
  int8_t    order[MAX_DIMS];
  uint64_t  versions;          /* sum of the versions of tensors in the arguments */
  node_value value[];          /* results, then inputs */
} node;

/* User values of a node. The edge of input k is NODE_EDGES + k. */
enum { NODE_RULE = 1, NODE_ARGUMENTS, NODE_GRADIENTS, NODE_EDGES };

/* The values of the call that a rule needs; lua/luatensor/gradients explains the letters. */
enum { RULE_INPUTS = 4, RULE_LETTERS = 8 };
typedef struct rule {
  const void *class;
  int  n;                                              /* number of inputs with a gradient of their own */
  char needs[1 + MAX_IN][RULE_LETTERS];                /* [0]: for the common gradient of all inputs */
  bool all;
} rule;

/* Pushes a new node for nin inputs and nout results with `dims` dims in total. As soon as it keeps storages, call
** node_own, so that they are released with it. */
node *push_node(lua_State *L, const char *name, int nin, int nout, int dims);

void node_own(lua_State *L, int at);

/* Sets a value from a tensor. If `keep` is set, the value keeps the elements, too. `changed` says that the tensor was
** written to after the call. *room is the memory for the value's dims, and is moved behind them. */
void node_set_tensor(node_value *v, const tensor *t, bool keep, bool changed, int64_t **room);

/* Sets a value from the number or boolean at stack index i. */
void node_set_number(lua_State *L, node_value *v, int i);

/* Pushes a copy of the arguments from stack index first to last, as one table. Adds the versions of the tensors among
** the arguments to *versions. */
void push_arguments(lua_State *L, int first, int last, uint64_t *versions);

/* Returns the sum of the versions of the tensors in the arguments at i. */
uint64_t argument_versions(lua_State *L, int i);

/* Pushes the value's shape as a list. */
void push_lengths(lua_State *L, const node_value *v);

/* Pushes the values that a rule's letters request from the node at `at`, and returns their number. graph: the values
** are parts of the graph. spares: stack index of a table whose first tensors are reused; 0: new tensors are made. */
int push_kept(lua_State *L, int at, const char *letters, bool graph, int spares);

/* Releases everything that the node at `at` keeps, and its edges, after its use. */
void node_let_go(lua_State *L, int at);

node *test_node(lua_State *L, int i);
node *check_node(lua_State *L, int i);
rule *test_rule(lua_State *L, int i);

#endif
