/* luatensor's own matrix products, for dtypes and strides that BLAS does not support (Goto and van de Geijn, "Anatomy
** of high-performance matrix multiplication", 2008). c is computed in blocks. For each block, all threads pack and
** convert panels of b and a, and then share the tiles. */

#include <string.h>

#include "cpu/cpu.h"
#include "cpu/linalg/gemm.h"

enum {
  K_BLOCK   = 512,     /* the number of steps along k, the summed dim, that are multiplied at a time: a panel of a (28
                       ** KiB of floats on AVX-512) and some panels of b (64 KiB each) stay in an L2 of 1 MiB */
  N_PANELS  = 64,      /* the number of panels of b that are packed at a time: 4 MiB of floats on AVX-512, which stay
                       ** in L3 */
  M_PANELS  = 64,      /* the number of panels of a that are packed at a time */
  GROUP_A   = 8,       /* the number of panels of a that a thread uses at a time: 224 KiB, which stay in its L2 */
  GROUP_B   = 16,
  CONVERT   = 64,      /* the number of steps along k that are converted at a time, in L1 */
  MAX_WIDTH = 64,      /* the most rows or columns of a panel */
  MAX_TILE  = 14 * 128 /* the most bytes of a tile */
};

/* One factor of a product: `count` rows of a, or `count` columns of b. */
typedef struct matrix {
  const char *data;
  enum dtype  dtype;
  int64_t     count, stride, k_stride;
  int         width;         /* the number of rows or columns in a panel */
} matrix;

/* The state that the threads of one product share. */
typedef struct gemm_work {
  const gemm_kernel *kernel;
  matrix   a, b;
  char    *c;
  enum dtype dtype;          /* the dtype of c */
  int64_t  k, c_stride[2];
  scalar   alpha, beta;
  char    *a_panels, *b_panels;
  int      threads;
} gemm_work;

static int64_t panels_of(const matrix *m) { return (m->count + m->width - 1) / m->width; }

/* Sets to[p][i] to element p of row or column i, counted from `from`, for p < k and i < n. The rest of the panel's
** width becomes 0. */
static void copy_panel(const matrix *m, const char *from, int64_t n, int64_t k, char *to) {
  int size = dtype_size(m->dtype);
  copy_plan plan = {.rows = k, .cols = n, .to_row = m->width, .to_col = 1, .from_row = m->k_stride, .from_col = m->stride};
  if (n < m->width) memset(to, 0, (size_t)(m->width * k * size));
  cpu_isa->convert->copy[__builtin_ctz((unsigned)size)](&plan, to, from);
}

/* Packs steps begin … begin + k - 1 along the summed dim of panel `index` of m, in the compute dtype. */
static void pack_panel(const gemm_work *w, const matrix *m, int64_t index, int64_t begin, int64_t k, char *to) {
  enum dtype d = w->kernel->compute;
  int size = dtype_size(m->dtype), made = dtype_size(d);
  int64_t first = index * m->width, n = least_of(m->width, m->count - first);
  const char *from = m->data + (first * m->stride + begin * m->k_stride) * size;
  if (m->dtype == d) {
    copy_panel(m, from, n, k, to);
    return;
  }
  _Alignas(64) char raw[CONVERT * MAX_WIDTH * 2];     /* elements that are converted have at most 2 bytes */
  for (int64_t p = 0; p < k; p += CONVERT) {
    int64_t steps = least_of(CONVERT, k - p);
    copy_panel(m, from + p * m->k_stride * size, n, steps, raw);
    cpu_isa->convert->convert[m->dtype][d](steps * m->width, to + p * m->width * made, raw);
  }
}

/* One phase of a product: packs steps begin … begin + k - 1 along the summed dim, for the panels of m from panel
** `first` on. */
typedef struct packing_phase {
  const gemm_work *w;
  const matrix *m;
  int64_t first, begin, k;
  char   *to;
} packing_phase;

static void pack_one(const void *arg, int64_t i, int worker) {
  const packing_phase *f = arg;
  (void)worker;
  pack_panel(f->w, f->m, f->first + i, f->begin, f->k, f->to + i * f->m->width * f->k * dtype_size(f->w->kernel->compute));
}

/* Multiplies k steps of panels i and j along the summed dim, and adds alpha times the product to their tile of c.
** `first` is true for the first steps, which also multiply c by beta. The kernel writes directly to c if the tile is
** whole, if c has the kernel's layout and element size, and if no scaling is needed. No scaling is needed if alpha is
** 1, and if beta is 0 or `first` is false. */
static void one_tile(const gemm_work *w, int64_t i, int64_t j, int64_t k, bool first, const char *a, const char *b) {
  const gemm_kernel *kernel = w->kernel;
  int64_t m = least_of(w->a.width, w->a.count - i * w->a.width), n = least_of(w->b.width, w->b.count - j * w->b.width);
  int size = dtype_size(w->dtype);
  char *c = w->c + (i * w->a.width * w->c_stride[0] + j * w->b.width * w->c_stride[1]) * size;
  bool plain = w->alpha.f == 1 && w->alpha.i == 1 && (!first || (w->beta.f == 0 && w->beta.i == 0));
  if (plain && m == w->a.width && n == w->b.width && w->c_stride[1] == 1 && size == dtype_size(kernel->compute)) {
    kernel->tile(k, a, b, c, w->c_stride[0], !first);
    return;
  }
  _Alignas(64) char tile[MAX_TILE];
  static const scalar one = {.f = 1, .i = 1};
  kernel->tile(k, a, b, tile, w->b.width, false);
  kernel->merge(m, n, tile, w->b.width, c, w->c_stride, w->alpha, first ? w->beta : one);
}

/* One phase of a product: computes the block of c that begins at panel `row` of a and panel `column` of b. Each item of
** work is a group of high × wide tiles. */
typedef struct tile_phase {
  const gemm_work *w;
  int64_t row, rows, column, columns, k, high, wide;
  bool    first;
} tile_phase;

/* Chooses smaller groups if there are fewer than 4 groups for each thread. */
static void choose_groups(tile_phase *f) {
  f->high = GROUP_A;
  f->wide = GROUP_B;
  while (f->w->threads > 1 && f->wide > 1 && (f->rows / f->high + 1) * (f->columns / f->wide + 1) < 4 * f->w->threads)
    if (f->high > 1 && f->rows / f->high < f->columns / f->wide + 1) f->high /= 2;
    else f->wide /= 2;
}

static int64_t groups_across(const tile_phase *f) { return (f->columns + f->wide - 1) / f->wide; }
static int64_t groups_of(const tile_phase *f) { return (f->rows + f->high - 1) / f->high * groups_across(f); }

static void one_group(const void *arg, int64_t g, int worker) {
  const tile_phase *f = arg;
  const gemm_work *w = f->w;
  int64_t across = groups_across(f), i0 = g / across * f->high, j0 = g % across * f->wide;
  int64_t i1 = least_of(i0 + f->high, f->rows), j1 = least_of(j0 + f->wide, f->columns), size = dtype_size(w->kernel->compute);
  (void)worker;
  for (int64_t i = i0; i < i1; i++)
    for (int64_t j = j0; j < j1; j++)
      one_tile(w, f->row + i, f->column + j, f->k, f->first, w->a_panels + i * w->a.width * f->k * size,
               w->b_panels + j * w->b.width * f->k * size);
}

static void all_blocks(const gemm_work *w) {
  int64_t down = panels_of(&w->a), across = panels_of(&w->b);
  for (int64_t j = 0; j < across; j += N_PANELS)
    for (int64_t p = 0; p == 0 || p < w->k; p += K_BLOCK) {     /* at least once, because k may be 0 */
      if (cancel_due()) return;
      int64_t columns = least_of(N_PANELS, across - j), k = least_of(K_BLOCK, w->k - p);
      cpu_parallel(w->threads, columns, pack_one, &(packing_phase){w, &w->b, j, p, k, w->b_panels});
      for (int64_t i = 0; i < down; i += M_PANELS) {
        tile_phase f = {.w = w, .row = i, .rows = least_of(M_PANELS, down - i), .column = j, .columns = columns, .k = k,
                        .first = p == 0};
        choose_groups(&f);
        cpu_parallel(w->threads, f.rows, pack_one, &(packing_phase){w, &w->a, i, p, k, w->a_panels});
        cpu_parallel(w->threads, groups_of(&f), one_group, &f);
      }
    }
}

int own_gemm(const gemm_call *g, const void *a, const void *b, void *c, int threads) {
  const gemm_kernel *kernel = &cpu_isa->gemm->kernel[g->dtype];
  if (!kernel->tile) return ERR_NO_KERNEL;
  if (g->m == 1 || g->n == 1) return own_gemv(g, a, b, c, threads);
  gemm_work w = {
    .kernel = kernel, .dtype = dtype_kind(g->dtype) == KIND_FLOAT ? kernel->compute : g->dtype, 
    .k = g->k, .alpha = g->alpha, .beta = g->beta, .threads = threads,
    .a = {a, g->dtype, g->m, g->a_stride[0], g->a_stride[1], kernel->rows},
    .b = {b, g->dtype, g->n, g->b_stride[1], g->b_stride[0], kernel->columns},
    .c = c, .c_stride = {g->c_stride[0], g->c_stride[1]},
  };
  size_t step = (size_t)least_of(g->k, K_BLOCK) * (size_t)dtype_size(kernel->compute);
  size_t a_bytes = (size_t)(least_of(panels_of(&w.a), M_PANELS) * kernel->rows) * step;
  size_t b_bytes = (size_t)(least_of(panels_of(&w.b), N_PANELS) * kernel->columns) * step;
  a_bytes = (a_bytes + 63) / 64 * 64;
  _Alignas(64) char small[1 << 13];
  void *scratch = small;
  bool fits = a_bytes + b_bytes <= sizeof small;
  if (!fits && cpu_alloc(0, a_bytes + b_bytes, &scratch) != OK) return ERR_MEMORY;
  w.a_panels = scratch;
  w.b_panels = w.a_panels + a_bytes;
  all_blocks(&w);
  if (!fits) cpu_free(0, scratch, a_bytes + b_bytes);
  return OK;
}
