/* Scans: running sums, products, maxima along a dim. */

#include "line.h"

enum { MAX_STATE = 8, AT_ONCE = 512 };

/* Lines of a tile, AT_ONCE carries at a time. */
static void scan_tile(const line_job *j, const line_tile *t) {
  const scan_kernel *k = j->kernel;
  char carry[AT_ONCE * MAX_STATE];
  int x_size = dtype_size(j->c->compute), out_size = dtype_size(j->gives);
  for (int64_t i = 0; i < t->lines; i += AT_ONCE) {
    line_tile part = *t;
    part.lines = t->lines - i < AT_ONCE ? t->lines - i : AT_ONCE;
    part.x = (const char *)t->x + i * t->x_line * x_size;
    part.out = (char *)t->out + i * t->out_line * out_size;
    k->init(part.lines, carry);
    if (j->initial) {
      k->put(part.lines, carry, part.out, part.out_line);
      part.out = (char *)part.out + part.out_step * out_size;
    }
    k->scan(&part, carry);
  }
}

int cpu_scan(const scan_call *c) {
  const scan_kernel *k = &cpu_isa->scan->kernel[c->op][c->line.compute];
  if (!k->scan) return ERR_NO_KERNEL;
  line_job j = {.c = &c->line, .out_n = c->line.n + c->initial, .gives = k->gives,
                .run = scan_tile, .kernel = k, .initial = c->initial};
  return cpu_lines(&j);
}
