/* Compares the plans that kernels read with the original plans: the pieces into which a plan is split, the offsets of
** elements, and division by multiplication. Used by gpu/plan_spec.lua; prints "ok" or the error. */

#include <stdio.h>
#include <stdlib.h>

#include "gpu/plan.h"

enum { OPERANDS = 2 };

/* Returns n / by.d, by the same computation as in kernels/plan.cuh. */
static uint32_t quotient(uint32_t n, gpu_divisor by) {
  return (uint32_t)((((uint64_t)n * by.magic >> 32) + n) >> by.shift);
}

static void offsets(const gpu_plan *p, uint32_t i, int64_t *offset) {
  for (int k = 0; k < OPERANDS; k++) offset[k] = p->base[k];
  for (int d = p->ndim - 1; d >= 0; d--) {
    uint32_t rest = d > 0 ? quotient(i, p->shape[d]) : 0, at = i - rest * p->shape[d].d;
    for (int k = 0; k < OPERANDS; k++) offset[k] += at * p->stride[d][k];
    i = rest;
  }
}

static void true_offsets(const plan *p, int64_t i, int64_t *offset) {
  for (int k = 0; k < OPERANDS; k++) offset[k] = 0;
  for (int d = p->ndim - 1; d >= 0; d--) {
    for (int k = 0; k < OPERANDS; k++) offset[k] += i % p->shape[d] * p->stride[k][d];
    i /= p->shape[d];
  }
}

static uint32_t some_bits(void) { return ((uint32_t)rand() & 0x7fffffffu) >> rand() % 31; }

static const char *check_division(void) {
  for (uint32_t t = 1; t < 1000000; t++) {
    uint32_t d = t < 5000 ? t : t == 5000 ? PLAN_MOST : some_bits() | 1, n = some_bits();
    gpu_divisor by = gpu_divide_by(d);
    uint32_t multiple = n / d * d;
    if (quotient(n, by) != n / d || quotient(PLAN_MOST, by) != PLAN_MOST / d) return "division";
    if (quotient(multiple, by) != n / d) return "division of a multiple";
    if (multiple && quotient(multiple - 1, by) != n / d - 1) return "division below a multiple";
  }
  return NULL;
}

static plan some_plan(void) {
  plan p = {.ndim = rand() % 5, .count = 1};
  for (int d = 0; d < p.ndim; d++) {
    p.shape[d] = 1 + rand() % 7;
    p.count *= p.shape[d];
    for (int k = 0; k < OPERANDS; k++) p.stride[k][d] = rand() % 100 - 50;
  }
  return p;
}

static const char *check_pieces(void) {
  for (int t = 0; t < 20000; t++) {
    plan p = some_plan();
    int64_t most = 1 + rand() % 60, pieces = gpu_plan_pieces(&p, most), position = 0;
    for (int64_t i = 0; i < pieces; i++) {
      gpu_plan g;
      gpu_plan_piece(&g, &p, OPERANDS, most, i);
      if (g.count > most) return "a piece is too large";
      for (uint32_t j = 0; j < g.count; j++, position++) {
        int64_t got[OPERANDS], want[OPERANDS];
        offsets(&g, j, got);
        true_offsets(&p, position, want);
        if (got[0] != want[0] || got[1] != want[1]) return "an offset";
      }
    }
    if (position != p.count) return "elements are missing";
  }
  return NULL;
}

static const char *check_large(void) {
  const int64_t row = 2500000000;
  plan p = {.ndim = 2, .count = 2 * row, .shape = {2, row}, .stride = {{row, 1}, {0, -1}}};
  gpu_plan g;
  if (gpu_plan_pieces(&p, PLAN_MOST) != 4) return "pieces of a large plan";
  gpu_plan_piece(&g, &p, OPERANDS, PLAN_MOST, 3);
  if (g.count != row - PLAN_MOST || g.base[0] != row + PLAN_MOST || g.base[1] != -(int64_t)PLAN_MOST) return "the last piece";
  return NULL;
}

int main(void) {
  const char *wrong = check_division();
  if (!wrong) wrong = check_pieces();
  if (!wrong) wrong = check_large();
  puts(wrong ? wrong : "ok");
  return wrong != NULL;
}
