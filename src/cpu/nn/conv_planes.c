/* Computes the result of a convolution, or the gradient of x, for groups whose weights have one row, such as those of a
** depthwise convolution.
**
** A group whose weights have one row has one channel in the result. Panels (conv.c) would gain nothing, because their elements
** would be used only once. So the planes of the group are padded in the thread's memory, where they stay in L1 or L2,
** and the result is computed plane by plane. A plane of the result may be much larger than those of the source, so it
** is computed in bands: unfinished results of a band also stay in the cache. */

#include <string.h>

#include "cpu/nn/conv_work.h"

enum {
  BAND    = 1 << 13,           /* the most elements of a band of several steps: 32 KiB of float32 */
  FEW     = 4,                 /* up to this many channels are copied to compute planes, even without padding */
  PHASES  = 16                 /* the largest stride along rows for which x's gradient is computed plane by plane */
};


/* Sets the height of a band: as many steps as fit into BAND elements, but at least one. Kernels compute up to 8 rows
** together, so a number of steps above 8 is a multiple of 8. */
void conv_plan_bands(conv_work *w) {
  const conv_call *c = w->c;
  bool forward = c->op == CONV_forward;
  w->columns = forward ? c->out[1] : c->in[1];
  w->down = forward ? 1 : least_of(c->stride[0], c->in[0]);
  w->band = BAND / (w->down * w->columns);
  if (w->band >= 8) w->band -= w->band % 8;
  if (w->band < 1) w->band = 1;
}

/* Computes the rows of a part from row r on that belong to a band. x has the group's padded planes. Returns the number
** of results. */
static int64_t part_band(const conv_work *w, const conv_part *p, int64_t group, int64_t r, const char *x, char *out) {
  int64_t rows = least_of(w->band, p->grid.rows - r);
  w->kernel->plane(&(conv_plane){.taps = p->k, .tap = p->tap, .w = conv_panel_at(w, p, group, 0), .start = conv_bias_at(w, group),
                                 .rows = rows, .columns = p->grid.columns, .x_row = p->grid.row,
                                 .x = x + r * p->grid.row * w->size, .out = out});
  return rows * p->grid.columns;
}

/* Computes a band of the plane of x's gradient for a stride above 1. The band begins at row r of each part. The parts
** from part i on that have the same rows of the plane are neighbours. `memory` has room for their rows. */
static void woven_band(const conv_work *w, int64_t group, int64_t r, const char *x, char *out, char *memory) {
  const conv_call *c = w->c;
  const void *rows[PHASES];
  for (int i = 0; i < w->count;) {
    int64_t begin = w->parts[i].first / w->columns, count = least_of(w->band, w->parts[i].grid.rows - r);
    int64_t used = 0, at[PHASES], length[PHASES];
    for (int64_t k = 0; k < c->stride[1]; k++) at[k] = -1;
    for (; i < w->count && w->parts[i].first / w->columns == begin; i++) {
      const conv_part *p = &w->parts[i];
      at[p->first % w->columns] = used;
      length[p->first % w->columns] = p->grid.columns;
      used += part_band(w, p, group, r, x, memory + used * w->size);
    }
    for (int64_t j = 0; j < count; j++) {
      for (int64_t k = 0; k < c->stride[1]; k++) rows[k] = at[k] < 0 ? NULL : memory + (at[k] + j * length[k]) * w->size;
      w->kernel->weave(&(conv_weave){.n = w->columns, .step = c->stride[1], .from = rows,
                                     .to = out + (begin + j * c->stride[0]) * w->columns * w->size});
    }
  }
}

/* Computes the plane of a group of one image. Results in half floats are computed in `wide` and then converted. */
void conv_one_plane(const void *arg, int64_t t, int worker) {
  const conv_work *w = arg;
  const conv_source *s = &w->source;
  int64_t inner = s->channels / w->c->groups, image = t / w->c->groups, group = t % w->c->groups;
  int64_t size = dtype_size(w->c->dtype), height = w->band * w->down * w->columns;
  char *x = w->scratch + (size_t)worker * w->scratch_bytes, *phases = x + conv_planes_bytes(s, inner);
  char *wide = phases + w->band * w->columns * w->size, *result = w->result + t * w->plane * size;
  bool is_half = w->c->dtype != w->compute;
  for (int64_t i = 0; i < inner; i++) conv_source_fill(s, image, group * inner + i, x + i * s->plane * w->size);
  for (int64_t r = 0, done = 0; done < w->plane; r += w->band, done += height) {
    int64_t n = least_of(height, w->plane - done);
    char *out = is_half ? wide : result + done * size;
    if (is_half && w->gaps) memset(wide, 0, (size_t)(n * w->size));
    if (w->parts[0].dense) part_band(w, &w->parts[0], group, r, x, out);
    else woven_band(w, group, r, x, out, phases);
    if (is_half) cpu_isa->convert->convert[w->compute][w->c->dtype](n, result + done * size, wide);
  }
}

/* True if one_plane should compute the results. Groups of many channels that need no copy, and groups whose padded
** planes exceed L2, are computed by panels. */
bool conv_has_planes(const conv_work *w) {
  const conv_call *c = w->c;
  int64_t inner = w->source.channels / c->groups;
  return w->m == 1 && (!w->source.direct || inner <= FEW) && inner * w->source.plane * w->size <= 1 << 20 &&
         (c->op == CONV_forward || c->stride[1] <= PHASES);
}
