/* Converts plans and numbers to the structs that kernels receive. */

#include "gpu/plan.h"

#include <string.h>

#include "math/convert.h"

/* Returns the multiplier and the shift that replace a division by d (Granlund and Montgomery, "Division by invariant
** integers using multiplication", 1994). The multiplier is rounded up, which makes the division exact for every
** numerator below 2^31. */
gpu_divisor gpu_divide_by(uint32_t d) {
  uint32_t shift = 0;
  while (shift < 32 && ((uint64_t)1 << shift) < d) shift++;
  uint64_t magic = ((((uint64_t)1 << shift) - d) << 32) / d + 1;
  return (gpu_divisor){.magic = (uint32_t)magic, .shift = shift, .d = d};
}

/* The dim at which a plan is cut into pieces. A piece contains a range of this dim, one position of each outer dim,
** and all positions of the inner dims. */
typedef struct cut {
  int     dim;
  int64_t length;              /* number of positions of the dim in a piece; the last piece may have fewer */
  int64_t parts;
} cut;

static cut choose_cut(const plan *p, int64_t most) {
  int64_t inner = 1;
  int d = p->ndim - 1;
  for (; d > 0 && p->shape[d] <= most / inner; d--) inner *= p->shape[d];
  int64_t length = p->ndim == 0 ? 1 : p->shape[d] <= most / inner ? p->shape[d] : most / inner;
  return (cut){.dim = d, .length = length, .parts = p->ndim == 0 ? 1 : (p->shape[d] + length - 1) / length};
}

int64_t gpu_plan_pieces(const plan *p, int64_t most) {
  cut c = choose_cut(p, most);
  int64_t pieces = c.parts;
  for (int d = 0; d < c.dim; d++) pieces *= p->shape[d];
  return pieces;
}

/* Advances the base offset of each operand by `at` positions along dim d. */
static void move_base(gpu_plan *g, const plan *p, int noperands, int d, int64_t at) {
  for (int k = 0; k < noperands; k++) g->base[k] += at * p->stride[k][d];
}

static void add_dim(gpu_plan *g, const plan *p, int noperands, int d, int64_t length) {
  g->shape[g->ndim] = gpu_divide_by((uint32_t)length);
  for (int k = 0; k < noperands; k++) g->stride[g->ndim][k] = p->stride[k][d];
  g->count *= (uint32_t)length;
  g->ndim++;
}

void gpu_plan_piece(gpu_plan *g, const plan *p, int noperands, int64_t most, int64_t i) {
  cut c = choose_cut(p, most);
  g->ndim = 0;
  g->count = 1;
  memset(g->base, 0, sizeof g->base);
  memset(g->stride[0], 0, sizeof g->stride[0]);
  if (p->ndim == 0) return;
  int64_t first = i % c.parts * c.length, left = p->shape[c.dim] - first;
  i /= c.parts;
  move_base(g, p, noperands, c.dim, first);
  for (int d = c.dim - 1; d >= 0; d--) {
    move_base(g, p, noperands, d, i % p->shape[d]);
    i /= p->shape[d];
  }
  add_dim(g, p, noperands, c.dim, left < c.length ? left : c.length);
  for (int d = c.dim + 1; d < p->ndim; d++) add_dim(g, p, noperands, d, p->shape[d]);
}

/* ---- the bits of numbers ---- */

/* The dtypes whose bits a function to_<dtype> returns: all dtypes except float32, float64 and the complex dtypes. */
#define EACH_WORD(M) \
  M(bool) M(uint8) M(uint16) M(uint32) M(uint64) M(int8) M(int16) M(int32) M(int64) M(float16) M(bfloat16)
#define ONE(...) + 1
_Static_assert(0 EACH_WORD(ONE) + 4 == DTYPE_COUNT, "EACH_WORD lacks a dtype");
#define WORD(name) case DT_##name: return (uint64_t)to_##name(x);

static uint64_t word_of_float(double x, enum dtype d) {
  switch (d) {
    case DT_float32: return bits_float32((float)x);
    case DT_float64: return bits_float64(x);
    EACH_WORD(WORD)
    default: return 0;
  }
}

static uint64_t word_of_integer(int64_t x, enum dtype d) {
  switch (d) {
    case DT_float32: return bits_float32((float)x);
    case DT_float64: return bits_float64((double)x);
    EACH_WORD(WORD)
    default: return 0;
  }
}

gpu_word gpu_number(const scalar *v, enum dtype d) {
  enum dtype part = dtype_real(d);
  uint64_t re = v->is_float ? word_of_float(v->f, part) : word_of_integer(v->i, part);
  uint64_t im = part == d ? 0 : word_of_float(v->is_complex ? v->im : 0, part);
  return d == DT_complex64 ? (gpu_word){re | im << 32, 0} : (gpu_word){re, im};
}
