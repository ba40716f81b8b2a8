#include "cpu/line_job.h"

#include <stdlib.h>

#include "cpu/walk.h"

enum {
  TILE  = 1 << 14,      /* the most output elements of a tile, so that input and output stay in L2; tiles to which
                        ** WIDTH applies and tiles of one long line may have more */
  WIDTH = 512,          /* the most lines of a tile of columns that the kernel reads without a copy */
  GRAIN = 1 << 14       /* the fewest output elements for each thread, fewer than in map.c, because computing a line
                        ** takes longer than reading it */
};

/* Describes how the lines of a tile are read and written. */
typedef struct layout {
  const line_job *job;
  bool    direct;            /* true: the kernel reads and writes the tensors directly; false: the kernel reads and
                             ** writes buffers */
  bool    columns;           /* true: the elements of neighbouring lines are adjacent in memory; false: the elements
                             ** of a line are adjacent */
  int64_t width;             /* the number of lines of a tile; the last tile of an innermost row of `outer` may have
                             ** fewer lines */
  int64_t row_tiles, tiles;
  size_t  step;              /* the size in bytes of one buffer of a tile */
  char   *buffers;           /* four buffers for each thread */
} layout;

static bool same_dtypes(const line_job *j) { return j->c->in.dtype == j->c->compute && j->c->out.dtype == j->gives; }

static void choose_layout(layout *l, const line_job *j) {
  const line_call *c = j->c;
  int64_t length = inner_length(&c->outer), in = inner_stride(&c->outer, 1), out = inner_stride(&c->outer, 0);
  bool row = c->in_stride == 1 && c->out_stride == 1;
  bool side_by_side = in == 1 && out == 1 && length > 1;
  l->job = j;
  l->direct = same_dtypes(j) && (row || side_by_side);
  l->columns = l->direct ? !row : llabs(in) < llabs(c->in_stride);
  l->width = l->direct && l->columns ? WIDTH : TILE / (j->out_n > 0 ? j->out_n : 1);
  if (l->width < 1) l->width = 1;
  l->row_tiles = (length + l->width - 1) / l->width;
  l->width = (length + l->row_tiles - 1) / l->row_tiles;
  l->row_tiles = (length + l->width - 1) / l->width;
  l->tiles = c->outer.count / length * l->row_tiles;
  int size = dtype_size(c->in.dtype) > 8 || dtype_size(c->compute) > 8 || dtype_size(c->out.dtype) > 8 ? 16 : 8;
  l->step = l->direct ? 0 : (size_t)(l->width * j->out_n) * (size_t)size;
}

/* Copies n elements of each line of the tile from a tensor to a buffer, or from the buffer to the tensor if `out` is
** true. In the tensor, `line` is the stride from line to line, and `step` is the stride from element to element of a
** line. The shape of the buffer is [lines][n], or [n][lines] if l->columns is true. */
static void copy_lines(const layout *l, const line_tile *t, int64_t n, int size, void *buffer, void *tensor,
                       int64_t line, int64_t step, bool out) {
  int64_t buffer_line = l->columns ? 1 : n, buffer_step = l->columns ? t->lines : 1;
  copy_plan p = l->columns
    ? (copy_plan){.rows = n, .cols = t->lines, .from_row = step, .from_col = line, .to_row = buffer_step, .to_col = buffer_line}
    : (copy_plan){.rows = t->lines, .cols = n, .from_row = line, .from_col = step, .to_row = buffer_line, .to_col = buffer_step};
  if (!out) { copy_stretches(&p, size, buffer, tensor); return; }
  copy_plan back = {.rows = p.rows, .cols = p.cols, .from_row = p.to_row, .from_col = p.to_col,
                    .to_row = p.from_row, .to_col = p.from_col};
  copy_stretches(&back, size, tensor, buffer);
}

/* Runs the kernel on a tile with four buffers: the stored input, the converted input, the result, and the converted
** result. */
static void run_buffered(const layout *l, line_tile *t, char *buffer) {
  const line_job *j = l->job;
  const line_call *c = j->c;
  line_tile at = *t;
  char *raw = buffer, *x = buffer + l->step, *result = buffer + 2 * l->step, *stored = buffer + 3 * l->step;
  copy_lines(l, t, t->n, dtype_size(c->in.dtype), raw, (void *)(uintptr_t)t->x, t->x_line, t->x_step, false);
  convert_stretches(c->in.dtype, c->compute, t->lines * t->n, x, raw);
  at.x = x;
  at.out = result;
  at.x_line = l->columns ? 1 : t->n;
  at.x_step = l->columns ? t->lines : 1;
  at.out_line = l->columns ? 1 : j->out_n;
  at.out_step = at.x_step;
  j->run(j, &at);
  convert_stretches(j->gives, c->out.dtype, t->lines * j->out_n, stored, result);
  copy_lines(l, t, j->out_n, dtype_size(c->out.dtype), stored, t->out, t->out_line, t->out_step, true);
}

static void run_tile(const void *arg, int64_t i, int worker) {
  const layout *l = arg;
  const line_job *j = l->job;
  const line_call *c = j->c;
  int64_t length = inner_length(&c->outer), begin = i % l->row_tiles * l->width;
  walk at;
  walk_to(&at, &c->outer, 2, i / l->row_tiles * length + begin);
  line_tile t = {
    .lines = length - begin < l->width ? length - begin : l->width, .n = c->n,
    .x = (const char *)c->in.data + at.offset[1] * dtype_size(c->in.dtype),
    .x_line = inner_stride(&c->outer, 1), .x_step = c->in_stride,
    .out = (char *)c->out.data + at.offset[0] * dtype_size(c->out.dtype),
    .out_line = inner_stride(&c->outer, 0), .out_step = c->out_stride};
  if (l->direct) j->run(j, &t);
  else run_buffered(l, &t, l->buffers + 4 * l->step * (size_t)worker);
}

/* True if the kernel reads each line as a row. A buffer of one column is a row. */
static bool gives_rows(const layout *l) { return !l->columns || (!l->direct && l->width == 1); }

bool cpu_lines_alike(const line_job *a, const line_job *b) {
  layout x, y;
  choose_layout(&x, a);
  choose_layout(&y, b);
  if (gives_rows(&x) && gives_rows(&y)) return true;
  return x.direct == y.direct && x.columns == y.columns && inner_length(&a->c->outer) == inner_length(&b->c->outer);
}

int cpu_lines(const line_job *j) {
  layout l;
  if (j->c->outer.count == 0 || j->out_n == 0) return OK;
  choose_layout(&l, j);
  int threads = cpu_threads(j->c->outer.count * j->out_n, GRAIN);
  if (threads > l.tiles) threads = (int)l.tiles;
  size_t each = 4 * l.step;
  char *buffers = NULL;
  if (each && !(buffers = malloc(each * (size_t)threads))) return ERR_MEMORY;
  l.buffers = buffers;
  cpu_parallel(threads, l.tiles, run_tile, &l);
  free(buffers);
  return OK;
}
