#include "op_random.h"

#include <math.h>

#include "op.h"
#include "random.h"

/* The greatest value of dtype d below b. */
static double below(enum dtype d, double b) {
  if (d == DT_float64) return nextafter(b, -INFINITY);
  if (d == DT_float32) return (double)nextafterf((float)b, -INFINITY);
  int exponent, bits = d == DT_float16 ? 11 : 8;        /* half floats: one step of the significand */
  double s = frexp(b, &exponent);
  if (b > 0 && s == 0.5) exponent--;                     /* below a power of two the steps are half as wide */
  int least = d == DT_float16 ? -24 : -133;              /* exponent of the least subnormal */
  int step = exponent - bits > least ? exponent - bits : least;
  return b - ldexp(1, step);
}

static int significand_bits(enum dtype d) {
  return d == DT_float64 ? 53 : d == DT_float32 ? 24 : d == DT_float16 ? 11 : 8;
}

static int run_contiguous(const random_job *j, generator *g, tensor *out) {
  bool wide = j->op >= RANDOM_integers || out->dtype == DT_float64;
  random_call c = {
    .op = j->op, .seed = g->seed, .offset = g->offset, .out = {.data = tensor_data(out), .dtype = out->dtype},
    .count = out->count, .a = j->a, .b = j->b, .most = fmax(below(out->dtype, j->b), j->a),
    .bits = significand_bits(out->dtype), .low = j->low, .range = j->range,
  };
  place where = out->store->place;
  int st = where.device->random ? where.device->random(where.index, &c) : ERR_NO_KERNEL;
  if (st == OK) g->offset += random_counters((uint64_t)out->count, wide);
  return st;
}

int random_run(const random_job *j, generator *g, tensor *out) {
  if (j->op < RANDOM_integers && dtype_kind(out->dtype) != KIND_FLOAT) return ERR_DTYPE;
  if (tensor_is_overlapping(out)) return ERR_READONLY;
  if (out->count == 0) return OK;
  if (tensor_is_contiguous(out)) return run_contiguous(j, g, out);
  tensor fresh = {.store = NULL};
  int st = tensor_init(&fresh, out->dtype, &out->shape, out->store->place);
  if (st == OK) st = run_contiguous(j, g, &fresh);
  if (st == OK) st = op_copy(out, &fresh);
  tensor_drop(&fresh);
  return st;
}
