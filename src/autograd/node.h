#ifndef LT_AUTOGRAD_NODE_H
#define LT_AUTOGRAD_NODE_H

/* Nodes record ops for autograd. A node is a userdata with the op's results and inputs and the parameters of the
** call. Its user values are its rule, the call's arguments, the gradients that retain_grad keeps, and its edges to
** leaves and other nodes. Tensors that a rule needs are kept as storages, not as Lua's tensors. So the memory is freed
** as soon as the node is released, and a result that its own node keeps does not keep itself alive. */

#include "lua/args.h"

/* A result or an input of the recorded op. */
typedef struct node_value {
  enum { VALUE_none, VALUE_tensor, VALUE_integer, VALUE_float, VALUE_boolean } kind;
  bool      needs;             /* the value is an input that needs a gradient */
  bool      is_leaf;           /* the input is a leaf, and its edge is the leaf itself */
  int       output;            /* unless is_leaf: the input is result number `output` (0-based) of the node to which
                               ** its edge leads */
  int       ndim;
  int64_t  *dims;              /* ndim lengths; ndim strides follow if the elements are kept */
  enum dtype dtype;
  place     place;
  bool      weak;
  uint32_t  version;           /* the storage's version when the op was recorded */
  storage  *store;             /* the storage that the node keeps for its rule, or NULL */
  union {
    struct { int64_t offset, count; };
    lua_Integer integer;       /* the value of an integer or a boolean */
    lua_Number  number;
  };
} node_value;

typedef struct node {
  const void *class;
  uint64_t  seq;               /* the nodes of a node's inputs have smaller numbers */
  uint64_t  mark;              /* number of the last traversal that saw the node */
  const char *name;
  bool      used;              /* backward has used the node and released its values and edges */
  bool      failed;            /* a backward that started at this node raised an error */
  bool      ordered;           /* `order` contains the dims of a permutation */
  int       nin, nout;
  op_params params;
  int8_t    order[MAX_DIMS];
  uint64_t  versions;          /* sum of the versions of the tensors in the arguments */
  node_value value[];          /* first the results, then the inputs */
} node;

/* The indices of a node's user values. The edge of input k is user value NODE_EDGES + k. */
enum { NODE_RULE = 1, NODE_ARGUMENTS, NODE_GRADIENTS, NODE_EDGES };

/* The letters of a rule name the values of the call that the rule needs; docs/adding-a-gradient.md explains them. */
enum { RULE_INPUTS = 4, RULE_LETTERS = 8 };
typedef struct rule {
  const void *class;
  int  n;                                              /* the number of the last input for whose gradient the rule has
                                                       ** a function */
  char needs[1 + MAX_IN][RULE_LETTERS];                /* [k]: letters for the gradient of input k, 1-based; [0]:
                                                       ** letters for the gradients of all inputs at once */
  bool all;
} rule;

/* Pushes a new node for nin inputs and nout results with `dims` dims in total. Before the node keeps storages, call
** node_own, so that the storages are released with the node. */
node *push_node(lua_State *L, const char *name, int nin, int nout, int dims);

void node_own(lua_State *L, int at);

/* Sets a value from a tensor. If `keep` is set, the value keeps the elements, too. If `changed` is set, the op itself
** wrote to the tensor, so the value records the version before this write. *room is the memory for the value's dims;
** the function advances *room past these dims. */
void node_set_tensor(node_value *v, const tensor *t, bool keep, bool changed, int64_t **room);

/* Sets a value from the number or boolean at stack index i. A value of another type stays VALUE_none. */
void node_set_number(lua_State *L, node_value *v, int i);

/* Pushes a copy of the arguments from stack index first to last, as one table. Adds the versions of the tensors among
** the arguments to *versions. */
void push_arguments(lua_State *L, int first, int last, uint64_t *versions);

/* Returns the sum of the versions of the tensors in the table of arguments at stack index i. */
uint64_t argument_versions(lua_State *L, int i);

/* Pushes the value's shape as a list. */
void push_lengths(lua_State *L, const node_value *v);

/* Pushes the values that a rule's letters request from the node at `at`. Returns the number of tensors among them.
** graph: gradients flow through the values. spares: stack index of a table whose first tensors are reused; 0: new
** tensors are made. */
int push_kept(lua_State *L, int at, const char *letters, bool graph, int spares);

/* Releases the storages, the edges and the arguments of the node at stack index `at`, after the node's use. */
void node_let_go(lua_State *L, int at);

node *test_node(lua_State *L, int i);
node *check_node(lua_State *L, int i);
rule *test_rule(lua_State *L, int i);

#endif
