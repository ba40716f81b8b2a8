/* Fourier transforms of tensors along one dim. A line is a sequence of elements along this dim. The functions read
** lines into buffers, transform several lines side by side or one line at a time, and write the results. */

#include <string.h>

#include "cpu/fft/fft.h"
#include "cpu/walk.h"

enum {
  TOGETHER_BYTES = 1 << 14,     /* the size in bytes of a tile of contiguous lines: the tile and its transform fit into
                                ** L1. The tile is transposed, so that its lines are side by side */
  COLUMN_BYTES   = 1 << 18,     /* the size in bytes of a tile of lines that are side by side in memory: long runs are
                                ** read faster, and two buffers fit into L2 */
  COLUMN_LEAST   = 128,         /* the size in bytes of the shortest run of lines that are side by side in memory: two
                                ** cache lines, which are fetched together */
  TOGETHER_MOST  = 200,         /* the length in complex numbers above which contiguous lines are transformed one at a
                                ** time, if fft_splits says that they can be split */
  COLUMN_MOST    = 1 << 16,     /* the length in complex numbers above which lines that are side by side in memory are
                                ** transformed one at a time, because their buffers would be too large */
  GRAIN          = 1 << 13      /* the fewest complex numbers for each thread; with fewer, a thread costs more time
                                ** than it saves */
};

/* ---- tiles of lines ---- */

/* The ways in which real lines become complex lines. HALVES, for even n, reads pairs of elements as n / 2 complex
** numbers. WIDE, for odd n, converts each element to a complex number. PLAIN lines are complex already. */
enum fft_form { FORM_PLAIN, FORM_HALVES, FORM_WIDE };

typedef struct fft_job {
  const fft_call  *c;
  const fft_plan  *plan;
  const fft_table *kernels;
  enum fft_form form;
  plan     outer;              /* the call's plan, reordered so that the lines of a tile are neighbours in the
                               ** innermost dim */
  int64_t  n;                  /* the length of the complex transform */
  int64_t  in_rows, out_rows;  /* the number of complex numbers in a line before and after the transform */
  int64_t  width, row_tiles, tiles;     /* the number of lines in a tile, of tiles in the innermost dim, and of all
                                        ** tiles */
  int64_t  lanes;              /* the number of lines that are side by side in a buffer */
  int      size;               /* the size in bytes of a complex number */
  int      threads, inside;    /* the number of threads that share the tiles, and the number of threads that share
                               ** each line */
} fft_job;

/* The current tile: the addresses of its first line in the input and the output. A real element has half the size of
** a complex number. */
typedef struct fft_tile {
  const char *x;
  char   *y;
  int64_t lines, lanes;
  int64_t x_line, y_line;      /* strides of the lines, in elements */
} fft_tile;

static void copy(int size, int64_t rows, int64_t cols, char *to, int64_t to_row, int64_t to_col, const char *from,
                 int64_t from_row, int64_t from_col) {
  copy_plan p = {.rows = rows, .cols = cols, .to_row = to_row, .to_col = to_col, .from_row = from_row,
                 .from_col = from_col};
  cpu_isa->convert->copy[__builtin_ctz((unsigned)size)](&p, to, from);
}

/* Transposes contiguous rows of complex numbers: column c of `from` becomes row c of `to`. If there are at least as
** many rows and columns as a vector has complex numbers, vectors are used. Then `reading` selects which side is
** accessed sequentially: `from` if it is true, `to` if it is false.
**
** If the rows on this side are shorter than a vector and follow one another, vectors are used, too, except at the end,
** because they extend into the rows behind. */
static void copy_across(const fft_job *j, int64_t rows, int64_t cols, char *to, int64_t to_row, const char *from,
                        int64_t from_row, bool reading) {
  int64_t lanes = j->kernels->lanes, length = reading ? cols : rows, step = reading ? from_row : to_row;
  fft_turn t = {.rows = rows, .columns = cols, .x_row = from_row, .y_row = to_row, .row_by_row = reading};
  if (rows >= lanes && cols >= lanes) {
    j->kernels->turn(&t, from, to);
    return;
  }
  int64_t *lines = reading ? &t.rows : &t.columns, whole = *lines - lanes;
  if (length < lanes && step == length && whole >= lanes) {
    *lines = whole;
    j->kernels->turn(&t, from, to);
    from += whole * (reading ? from_row : 1) * j->size;
    to += whole * (reading ? 1 : to_row) * j->size;
    if (reading) rows = lanes;
    else cols = lanes;
  }
  copy(j->size, cols, rows, to, to_row, 1, from, 1, from_row);
}

static bool is_forward_real(const fft_job *j)  { return j->c->kind == FFT_real; }
static bool is_backward_real(const fft_job *j) { return j->c->kind == FFT_hermitian; }

/* Reads the tile's lines into a buffer [in_rows][lanes] of complex numbers. */
static void read_lines(const fft_job *j, const fft_tile *t, char *to) {
  int64_t step = j->c->in_stride[0], lanes = t->lanes;
  int size = j->size, half = size / 2;
  if (lanes > t->lines || j->form == FORM_WIDE) memset(to, 0, (size_t)(j->n * lanes * size));
  if (lanes > t->lines && j->in_rows > j->n) memset(to + j->n * lanes * size, 0, (size_t)(lanes * size));
  if (!is_forward_real(j) && step == 1)
    copy_across(j, t->lines, j->in_rows, to, lanes, t->x, t->x_line, true);
  else if (!is_forward_real(j))
    copy(size, j->in_rows, t->lines, to, lanes, 1, t->x, step, t->x_line);
  else if (j->form == FORM_WIDE)
    copy(half, j->n, t->lines, to, 2 * lanes, 2, t->x, step, t->x_line);
  else if (step == 1 && t->x_line % 2 == 0)
    copy_across(j, t->lines, j->n, to, lanes, t->x, t->x_line / 2, true);
  else
    for (int part = 0; part < 2; part++)
      copy(half, j->n, t->lines, to + part * half, 2 * lanes, 2, t->x + part * step * half, 2 * step, t->x_line);
}

/* Writes the tile's lines from a buffer [out_rows][lanes] of complex numbers. */
static void write_lines(const fft_job *j, const fft_tile *t, const char *from) {
  int64_t step = j->c->out_stride[0], lanes = t->lanes;
  int size = j->size, half = size / 2;
  if (!is_backward_real(j) && step == 1)
    copy_across(j, j->out_rows, t->lines, t->y, t->y_line, from, lanes, false);
  else if (!is_backward_real(j))
    copy(size, j->out_rows, t->lines, t->y, step, t->y_line, from, lanes, 1);
  else if (j->form == FORM_WIDE)
    copy(half, j->n, t->lines, t->y, step, t->y_line, from, 2 * lanes, 2);
  else if (step == 1 && t->y_line % 2 == 0)
    copy_across(j, j->n, t->lines, t->y, t->y_line / 2, from, lanes, false);
  else
    for (int part = 0; part < 2; part++)
      copy(half, j->n, t->lines, t->y + part * step * half, 2 * step, t->y_line, from + part * half, 2 * lanes, 2);
}

/* True if the transform can read or write the lines directly, without a buffer. With several lines, the elements of
** neighbouring lines must be adjacent in memory; a single line must be contiguous. real: the elements are real numbers.
** line, step: the strides from line to line and along a line. */
static bool lies_well(const fft_job *j, const fft_tile *t, bool real, int64_t line, int64_t step) {
  if (j->form == FORM_WIDE && j->c->kind != FFT_complex) return false;
  if (j->plan->way == FFT_TOGETHER) return !real && line == 1 && t->lines == t->lanes;
  return step == 1;
}

/* Writes the complex transform of the lines at x to y. x is [n][lanes], and its rows are x_step complex numbers apart.
** Real lines of even length are read as half as many complex numbers (FORM_HALVES); for these lines, `join` converts
** between this transform and the transform of the real line. */
static void transform(const fft_job *j, const fft_tile *t, const char *x, int64_t x_step, char *y, int64_t y_step,
                      char *room) {
  double scale = j->c->scale;
  bool inverse = j->c->inverse;
  if (j->form == FORM_HALVES && is_forward_real(j)) scale /= 2;
  if (j->plan->way != FFT_TOGETHER) { fft_run_split(j->plan, inverse, scale, x, y, room, j->inside); return; }
  fft_run r = {.kernels = j->kernels, .lanes = t->lanes, .inverse = inverse, .scale = scale};
  fft_run_chain(&j->plan->first, &r, x, x_step, y, y_step, room, room + j->n * t->lanes * j->size);
}

static void join(const fft_job *j, const fft_tile *t, const char *x, int64_t x_step, char *y, int64_t y_step) {
  fft_join f = {.h = j->n, .lanes = t->lanes, .x_step = x_step, .y_step = y_step, .turns = j->plan->join,
                .back = is_backward_real(j)};
  j->kernels->join(&f, x, y);
}

/* tile_room returns the number of complex numbers in the two buffers that read and write a tile. transform_room
** returns the number of complex numbers in the buffers of the transform. */
static int64_t tile_room(const fft_job *j) { return 2 * (j->n + 1) * j->lanes; }
static int64_t transform_room(const fft_job *j) {
  if (j->plan->way != FFT_TOGETHER) return fft_line_room(j->plan, j->inside);
  return 2 * j->n * j->lanes + (int64_t)fft_chain_room(&j->plan->first) / j->size;
}

static void run_tile(const fft_job *j, const fft_tile *t, char *room) {
  char *first = room, *second = room + (j->n + 1) * j->lanes * j->size, *rest = room + tile_room(j) * j->size;
  bool in_place = lies_well(j, t, is_forward_real(j), t->x_line, j->c->in_stride[0]);
  bool out_place = lies_well(j, t, is_backward_real(j), t->y_line, j->c->out_stride[0]);
  const char *x = in_place ? t->x : first;
  int64_t x_step = in_place ? j->c->in_stride[0] : t->lanes, y_step = out_place ? j->c->out_stride[0] : t->lanes;
  if (!in_place) read_lines(j, t, first);
  if (is_backward_real(j) && j->form == FORM_WIDE) j->kernels->mirror(j->n, t->lanes, first);
  if (is_backward_real(j) && j->form == FORM_HALVES) {
    join(j, t, x, x_step, second, t->lanes);
    x = second;
    x_step = t->lanes;
  }
  bool joins = is_forward_real(j) && j->form == FORM_HALVES;
  char *spare = x == first ? second : first, *y = out_place ? t->y : spare;
  if (joins) {
    transform(j, t, x, x_step, spare, t->lanes, rest);
    y = out_place ? t->y : spare == first ? second : first;
    join(j, t, spare, t->lanes, y, y_step);
  } else {
    transform(j, t, x, x_step, y, y_step, rest);
  }
  if (!out_place) write_lines(j, t, y);
}

typedef struct tile_run {
  const fft_job *j;
  char  *room;
  size_t each;                 /* the size in bytes of the buffers of a thread */
} tile_run;

static void run_tile_at(const void *arg, int64_t tile, int worker) {
  const tile_run *r = arg;
  const fft_job *j = r->j;
  const fft_call *c = j->c;
  int64_t length = inner_length(&j->outer), row = tile / j->row_tiles, begin = tile % j->row_tiles * j->width;
  walk at;
  walk_to(&at, &j->outer, 2, row * length + begin);
  fft_tile t = {.x = (const char *)c->in.data + at.offset[1] * dtype_size(c->in.dtype),
                .y = (char *)c->out.data + at.offset[0] * dtype_size(c->out.dtype),
                .lines = length - begin < j->width ? length - begin : j->width,
                .x_line = inner_stride(&j->outer, 1), .y_line = inner_stride(&j->outer, 0)};
  t.lanes = j->plan->way != FFT_TOGETHER ? 1 : t.lines < j->kernels->lanes ? j->kernels->lanes : t.lines;
  run_tile(j, &t, r->room + r->each * (size_t)worker);
}

/* ---- choosing the plan and the tiles ---- */

/* Makes one dim the innermost dim. Dims with stride 1 in both the input and the output are preferred, then dims with
** stride 1 in one of them, then the other dims. Among equally good dims, the longest is chosen. */
static void choose_order(plan *p) {
  int best = p->ndim - 1;
  for (int d = p->ndim - 1; d >= 0; d--) {
    int neighbours = (p->stride[1][d] == 1) + (p->stride[0][d] == 1);
    int before = (p->stride[1][best] == 1) + (p->stride[0][best] == 1);
    if (neighbours > before || (neighbours == before && p->shape[d] > p->shape[best])) best = d;
  }
  if (best < 0) return;
  int64_t *parts[] = {p->shape, p->stride[0], p->stride[1]};
  for (int k = 0; k < 3; k++) {
    int64_t moved = parts[k][best];
    memmove(parts[k] + best, parts[k] + best + 1, (size_t)(p->ndim - 1 - best) * sizeof moved);
    parts[k][p->ndim - 1] = moved;
  }
}

static enum fft_way choose_way(const fft_job *j) {
  int64_t lines = inner_length(&j->outer);
  bool few = lines < j->kernels->lanes;
  if (!fft_smooth(j->n)) return few || !fft_chains(j->n) ? FFT_CONVOLUTION : FFT_TOGETHER;
  bool neighbours = inner_stride(&j->outer, 1) == 1 && j->c->in_stride[0] != 1;
  int64_t most = few ? 0 : neighbours ? COLUMN_MOST : TOGETHER_MOST;
  return j->n > most && fft_splits(j->n, j->kernels->lanes) ? FFT_SPLIT : FFT_TOGETHER;
}

static void choose_tiles(fft_job *j) {
  int64_t length = inner_length(&j->outer);
  j->width = 1;
  if (j->plan->way == FFT_TOGETHER) {
    int64_t lanes = j->kernels->lanes;
    bool columns = inner_stride(&j->outer, 1) == 1 && j->c->in_stride[0] != 1;
    j->width = (columns ? COLUMN_BYTES : TOGETHER_BYTES) / (j->n * j->size) / lanes * lanes;
    int64_t least = columns && lanes < COLUMN_LEAST / j->size ? COLUMN_LEAST / j->size : lanes;
    if (j->width < least) j->width = least;
    if (j->width > length) j->width = length;
  }
  j->lanes = j->plan->way != FFT_TOGETHER ? 1 : j->width < j->kernels->lanes ? j->kernels->lanes : j->width;
  j->row_tiles = (length + j->width - 1) / j->width;
  j->tiles = j->outer.count / length * j->row_tiles;
  int threads = cpu_threads(j->outer.count * j->n, GRAIN);
  bool inside = j->tiles < threads && j->plan->way != FFT_TOGETHER;
  j->threads = inside ? 1 : threads < j->tiles ? threads : (int)j->tiles;
  j->inside = inside ? threads : 1;
}

static int run_tiles(const fft_job *j) {
  size_t each = (size_t)(tile_room(j) + transform_room(j)) * (size_t)j->size, bytes = each * (size_t)j->threads;
  void *room;
  int status = cpu_alloc(0, bytes, &room);
  if (status) return status;
  cpu_parallel(j->threads, j->tiles, run_tile_at, &(tile_run){j, room, each});
  cpu_free(0, room, bytes);
  return OK;
}

int cpu_fft(int index, const fft_call *c) {
  (void)index;
  if (c->outer.count == 0 || c->n[0] == 0) return OK;
  enum dtype real = dtype_real(c->in.dtype);
  fft_job j = {.c = c, .kernels = fft_kernels(real), .outer = c->outer, .size = 2 * dtype_size(real)};
  j.form = c->kind == FFT_complex ? FORM_PLAIN : c->n[0] % 2 ? FORM_WIDE : FORM_HALVES;
  j.n = j.form == FORM_HALVES ? c->n[0] / 2 : c->n[0];
  j.in_rows = c->kind == FFT_hermitian ? c->n[0] / 2 + 1 : j.n;
  j.out_rows = c->kind == FFT_real ? c->n[0] / 2 + 1 : j.n;
  choose_order(&j.outer);
  int status = fft_plan_take(j.n, real, choose_way(&j), j.form == FORM_HALVES, &j.plan);
  if (status) return status;
  choose_tiles(&j);
  status = run_tiles(&j);
  fft_plan_return(j.plan);
  return status;
}
