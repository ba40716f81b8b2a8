/* Products of small matrices of floats of type STORED, which are read in place as far as possible, because packing
** would take as long as the product. gemm.c includes this file once for each type STORED. direct_product in cpu.h
** describes a product.
**
** Each element of c is one sum in the order of the summed dim. Therefore the bits depend neither on the layout of the
** matrices, nor on the size of the tiles, nor on the instruction set, if it has a fused multiply-add. */

#define NAME(name) ISA_PASTE(name, STORED)
#define FMA ISA_PASTE(FMA, STORED)

/* A strip of up to WIDEST vectors of columns of b and c. The rows of b's strip are contiguous, and b_row elements apart. The
** last vector of a row begins at element b_last of b's strip and at element c_last of c's strip. The vector overlaps the
** vector before it if the columns do not fill all vectors, because a masked store takes 12 cycles. Only a strip of one
** vector may have fewer columns than the vector, `some`. If `add` is true, the product is added to c. */
typedef struct NAME(strip) {
  int64_t k, a_stride[2], b_row, b_last, c_last, some;
  const STORED *b;
  bool add;
} NAME(strip);

typedef void NAME(tile_function)(const NAME(strip) *s, const STORED *a, STORED *c, int64_t c_row);

INLINE NAME(vector) NAME(load)(const STORED *p) { return *(const NAME(loose) *)p; }
INLINE void NAME(store)(STORED *p, NAME(vector) v) { *(NAME(loose) *)p = v; }

/* Loads the first n elements of a vector, for n < LANES. The rest is 0. */
INLINE NAME(vector) NAME(load_some)(const STORED *p, int64_t n) {
#ifdef __AVX512F__
  __mmask16 mask = (__mmask16)((1u << n) - 1);
  if (sizeof(STORED) == 4) return (NAME(vector))_mm512_maskz_loadu_ps(mask, p);
  return (NAME(vector))_mm512_maskz_loadu_pd((__mmask8)mask, p);
#elif defined(__AVX2__)
  return (NAME(vector))_mm256_maskload_epi32((const int *)p, first_bytes(n * (int64_t)sizeof(STORED)));
#else
  NAME(vector) v = {0};
  memcpy(&v, p, (size_t)n * sizeof(STORED));
  return v;
#endif
}

/* Stores the first n elements of a vector, for n < LANES. */
INLINE void NAME(store_some)(STORED *p, NAME(vector) v, int64_t n) {
#ifdef __AVX512F__
  __mmask16 mask = (__mmask16)((1u << n) - 1);
  if (sizeof(STORED) == 4) _mm512_mask_storeu_ps(p, mask, (__m512)v);
  else _mm512_mask_storeu_pd(p, (__mmask8)mask, (__m512d)v);
#elif defined(__AVX2__)
  _mm256_maskstore_epi32((int *)p, first_bytes(n * (int64_t)sizeof(STORED)), (__m256i)v);
#else
  memcpy(p, &v, (size_t)n * sizeof(STORED));
#endif
}

/* Load or store the first n elements of a vector, or all elements if n is larger. */
INLINE NAME(vector) NAME(load_part)(const STORED *p, int64_t n) {
  return n >= NAME(LANES) ? NAME(load)(p) : NAME(load_some)(p, n);
}
INLINE void NAME(store_part)(STORED *p, NAME(vector) v, int64_t n) {
  if (n >= NAME(LANES)) NAME(store)(p, v);
  else NAME(store_some)(p, v, n);
}

/* Stores the sums of a tile, or adds the sums to c if `add` is true. Each row is read before it is written, because its
** last two vectors may overlap. */
INLINE void NAME(store_tile)(int rows, int wide, int64_t last, int64_t some, bool add, NAME(vector) sum[][WIDEST],
                             STORED *c, int64_t c_row) {
  UNROLL(16)
  for (int i = 0; i < rows; i++, c += c_row) {
    if (add)
      UNROLL(5)
      for (int j = 0; j < wide; j++) sum[i][j] += NAME(load_part)(c + (j < wide - 1 ? j * NAME(LANES) : last), some);
    UNROLL(5)
    for (int j = 0; j < wide; j++) NAME(store_part)(c + (j < wide - 1 ? j * NAME(LANES) : last), sum[i][j], some);
  }
}

/* Computes a tile of rows × wide vectors of c. If `part` is true, only s->some elements of a vector are read and
** written. Inlined with constant `rows`, `wide` and `part`, so that `sum` is in registers. Each pointer in x addresses
** NEAR_ROWS rows of a by multiples of the distance of two rows. A pointer or a distance for each row would not fit into
** the registers. */
INLINE void NAME(direct_tile)(int rows, int wide, bool part, const NAME(strip) *s, const STORED *a, STORED *c,
                              int64_t c_row) {
  NAME(vector) sum[TALLEST][WIDEST], y[WIDEST];
  const STORED *b = s->b, *x[TALLEST / NEAR_ROWS];
  const int64_t a_row = s->a_stride[0], b_row = s->b_row, last = wide == 1 ? 0 : s->b_last;
  int64_t a_step = s->a_stride[1] * (int64_t)sizeof(STORED);
  KEEP(a_step);
  UNROLL(4)
  for (int i = 0; i < rows; i += NEAR_ROWS) {
    x[i / NEAR_ROWS] = a + i * a_row;
    KEEP(x[i / NEAR_ROWS]);
  }
  UNROLL(16)
  for (int i = 0; i < rows; i++)
    UNROLL(5)
    for (int j = 0; j < wide; j++) sum[i][j] = (NAME(vector)){0};
  for (int64_t p = s->k; p > 0; p--, b += b_row) {
    UNROLL(5)
    for (int j = 0; j < wide; j++) {
      const STORED *at = b + (j < wide - 1 ? j * NAME(LANES) : last);
      y[j] = part && HAS_MASKS ? NAME(load_some)(at, s->some) : NAME(load)(at);
    }
    UNROLL(16)
    for (int i = 0; i < rows; i++) {
      NAME(vector) v = x[i / NEAR_ROWS][i % NEAR_ROWS * a_row] - (NAME(vector)){0};
      UNROLL(5)
      for (int j = 0; j < wide; j++) sum[i][j] = FMA(v, y[j], sum[i][j]);
    }
    UNROLL(4)
    for (int i = 0; i < rows; i += NEAR_ROWS)
      x[i / NEAR_ROWS] = (const STORED *)((const char *)x[i / NEAR_ROWS] + a_step);
  }
  const int64_t c_last = wide == 1 ? 0 : s->c_last, some = part ? s->some : NAME(LANES);
  if (s->add) NAME(store_tile)(rows, wide, c_last, some, true, sum, c, c_row);
  else NAME(store_tile)(rows, wide, c_last, some, false, sum, c, c_row);
}

#define DIRECT_TILE(rows, wide)                                                                             \
  static void NAME(tile_##rows##_##wide)(const NAME(strip) *s, const STORED *a, STORED *c, int64_t c_row) { \
    if (wide == 1 && s->some < NAME(LANES)) NAME(direct_tile)(rows, wide, true, s, a, c, c_row);            \
    else NAME(direct_tile)(rows, wide, false, s, a, c, c_row);                                              \
  }
#define DIRECT_ENTRY(rows, wide) [wide - 1][rows - 1] = NAME(tile_##rows##_##wide),

EACH_TILE(DIRECT_TILE)
static NAME(tile_function) *const NAME(direct_tiles)[WIDEST][TALLEST] = {EACH_TILE(DIRECT_ENTRY)};

/* ---- packing a strip of b ----
** Only strips that cannot be read in place are packed. Columns from n on of a packed strip may have any values, because
** their results are dropped. */

enum { NAME(GROUP) = 16 / sizeof(STORED) };

/* Transposes the elements of each part of 16 bytes. Part q of x[i] has GROUP elements of row q * GROUP + i. */
INLINE void NAME(transpose_parts)(NAME(vector) x[]) {
  const int last = NAME(GROUP) - 1;
  NAME(vector) a = x[0], b = x[1], c = x[last - 1], d = x[last];
  if (sizeof(STORED) == 8) {
    x[0] = (NAME(vector))LOW_64(a, b);
    x[1] = (NAME(vector))HIGH_64(a, b);
    return;
  }
  NAME(vector) low[2] = {(NAME(vector))LOW_32(a, b), (NAME(vector))LOW_32(c, d)};
  NAME(vector) high[2] = {(NAME(vector))HIGH_32(a, b), (NAME(vector))HIGH_32(c, d)};
  x[0] = (NAME(vector))LOW_64(low[0], low[1]);
  x[1] = (NAME(vector))HIGH_64(low[0], low[1]);
  x[last - 1] = (NAME(vector))LOW_64(high[0], high[1]);
  x[last] = (NAME(vector))HIGH_64(high[0], high[1]);
}

/* Sets x to the columns of n rows of GROUP elements, for n up to LANES. The last row takes the place of rows from n
** on. */
INLINE void NAME(load_columns)(int64_t n, NAME(vector) x[], const STORED *from, int64_t row) {
  UNROLL(4)
  for (int i = 0; i < NAME(GROUP); i++) {
    const STORED *at[BYTES / 16];
    UNROLL(4)
    for (int part = 0; part < BYTES / 16; part++) at[part] = from + least_of(part * NAME(GROUP) + i, n - 1) * row;
    x[i] = (NAME(vector))load_parts((const void *const *)at, 0);
  }
  NAME(transpose_parts)(x);
}

/* Transposes GROUP elements of each of n rows, for n up to LANES, into GROUP rows that are `width` elements apart. */
INLINE void NAME(transpose_group)(int64_t n, STORED *to, int64_t width, const STORED *from, int64_t row) {
  NAME(vector) x[NAME(GROUP)];
  NAME(load_columns)(n, x, from, row);
  UNROLL(4)
  for (int i = 0; i < NAME(GROUP); i++) NAME(store)(to + i * width, x[i]);
}

/* Packs LANES columns that are contiguous along k. A pointer for each part of 16 bytes of a vector addresses GROUP
** columns, because a pointer for each column would not fit into the registers. The last group of k may overlap the group
** before it. */
static void NAME(pack_columns)(const direct_product *g, const STORED *b, STORED *to, int64_t width) {
  const int64_t row = g->b_stride[1] * (int64_t)sizeof(STORED);
  const STORED *at[BYTES / 16];
  UNROLL(4)
  for (int part = 0; part < BYTES / 16; part++) {
    at[part] = b + part * NAME(GROUP) * g->b_stride[1];
    KEEP(at[part]);
  }
  for (int64_t left = g->k; left > 0; left -= NAME(GROUP)) {
    NAME(vector) x[NAME(GROUP)];
    const int64_t back = left < NAME(GROUP) ? NAME(GROUP) - left : 0;
    UNROLL(4)
    for (int part = 0; part < BYTES / 16; part++) at[part] -= back;
    UNROLL(4)
    for (int i = 0; i < NAME(GROUP); i++) x[i] = (NAME(vector))load_parts((const void *const *)at, i * row);
    NAME(transpose_parts)(x);
    to -= back * width;
    UNROLL(4)
    for (int i = 0; i < NAME(GROUP); i++, to += width) NAME(store)(to, x[i]);
    UNROLL(4)
    for (int part = 0; part < BYTES / 16; part++) at[part] += NAME(GROUP);
  }
}

/* Packs n columns, at most LANES, that are contiguous along k. Returns false if k is too small. */
static bool NAME(pack_crosswise)(const direct_product *g, const STORED *b, int64_t n, STORED *to, int64_t width) {
  if (g->b_stride[0] != 1 || g->k < NAME(GROUP)) return false;
  if (n == NAME(LANES)) NAME(pack_columns)(g, b, to, width);
  else
    for (int64_t p = 0; p < g->k; p += NAME(GROUP)) {
      int64_t at = least_of(p, g->k - NAME(GROUP));
      NAME(transpose_group)(n, to + at * width, width, b + at, g->b_stride[1]);
    }
  return true;
}

/* Packs n columns, at most LANES, of any strides. */
static void NAME(pack_cells)(const direct_product *g, const STORED *b, int64_t n, STORED *to, int64_t width) {
  for (int64_t p = 0; p < g->k; p++, b += g->b_stride[0], to += width) {
    NAME(store)(to, (NAME(vector)){0});
    for (int64_t i = 0; i < n; i++) to[i] = b[i * g->b_stride[1]];
  }
}

/* Packs n columns, at most LANES, that are neighbours in each row. */
INLINE void NAME(pack_rows)(const direct_product *g, const STORED *b, int64_t n, STORED *to, int64_t width) {
  for (int64_t p = g->k; p > 0; p--, b += g->b_stride[0], to += width) NAME(store)(to, NAME(load_part)(b, n));
}

/* Packs n columns, at most LANES, into rows that are `width` elements apart. */
static void NAME(pack_vector)(const direct_product *g, const STORED *b, int64_t n, STORED *to, int64_t width) {
  if (g->b_stride[1] == 1 && n == NAME(LANES)) NAME(pack_rows)(g, b, NAME(LANES), to, width);
  else if (g->b_stride[1] == 1) NAME(pack_rows)(g, b, n, to, width);
  else if (!NAME(pack_crosswise)(g, b, n, to, width)) NAME(pack_cells)(g, b, n, to, width);
}

/* Packs n columns of b into a strip of k × width elements. The last vector has the last LANES columns. */
static void NAME(pack_strip)(const direct_product *g, const STORED *b, int64_t n, STORED *to, int64_t width) {
  for (int64_t j = 0; j < width; j += NAME(LANES)) {
    const int64_t first = j + NAME(LANES) > n ? most_of(n - NAME(LANES), 0) : j;
    NAME(pack_vector)(g, b + first * g->b_stride[1], least_of(n, NAME(LANES)), to + j, width);
  }
}

/* ---- tiles of c ---- */

/* Computes a tile in a buffer, because the tile must be scaled or its rows are not contiguous. */
static void NAME(buffered_tile)(const direct_product *g, const NAME(strip) *s, NAME(tile_function) *tile, int64_t rows,
                                int64_t n, int64_t width, const STORED *a, STORED *c) {
  _Alignas(64) STORED buffer[MOST_SUMS * NAME(LANES)];
  tile(s, a, buffer, width);
  NAME(merge)(rows, n, buffer, width, c, g->c_stride, g->alpha, g->beta);
}

/* Computes n columns of c. The rows are divided evenly into tiles, because a tile of few rows has too few sums to hide
** the latency of its instructions. A division of 64 bits takes up to 90 cycles, so there are only two of 32 bits for all
** tiles. */
static void NAME(direct_strip)(const direct_product *g, const NAME(strip) *s, const STORED *a, int64_t n, int64_t width,
                               STORED *c, bool plain) {
  static const uint8_t most_rows[WIDEST] = DIRECT_ROWS;
  const int64_t wide = width / NAME(LANES) - 1;
  const uint32_t m = (uint32_t)g->m, most = most_rows[wide], tiles = m <= most ? 1 : (m + most - 1) / most;
  const uint32_t least = tiles == 1 ? m : m / tiles, higher = m - least * tiles;  /* tiles of one row more than the rest */
  for (uint32_t i = 0; i < tiles; i++) {
    const int64_t rows = least + (i < higher);
    NAME(tile_function) *tile = NAME(direct_tiles)[wide][rows - 1];
    if (plain) tile(s, a, c, g->c_stride[0]);
    else NAME(buffered_tile)(g, s, tile, rows, n, width, a, c);
    a += rows * g->a_stride[0];
    c += rows * g->c_stride[0];
  }
}

/* Returns the vectors of the next strip, if n columns are left. The columns are divided evenly into strips of at most
** `most` vectors. */
static int64_t NAME(strip_vectors)(int64_t n, uint32_t most) {
  const uint32_t left = (uint32_t)(n + NAME(LANES) - 1) / NAME(LANES);
  if (left <= most) return left;
  const uint32_t strips = (left + most - 1) / most;
  return (left + strips - 1) / strips;
}

/* Returns the most vectors of a strip. L1 can hold a strip that many tiles read. */
static uint32_t NAME(widest_strip)(const direct_product *g) {
  uint32_t most = WIDEST;
  if (g->m <= FEW_ROWS && g->b_stride[1] == 1) return most;
  while (most * g->k > STRIP_VECTORS) most--;
  return most;
}

/* True if the tiles of a strip of n columns read the rows of b in place. Otherwise the strip is packed. Packing saves time
** if many tiles read a strip that does not stay in L1. L1 cannot hold a strip that is too large, and the limit is lower if
** the vectors cross cache lines. If the distance of the rows is a multiple of a large power of two, only few sets of L1
** can hold them. */
static bool NAME(reads_in_place)(const direct_product *g, const STORED *strip, int64_t n, int64_t width) {
  if (g->b_stride[1] != 1 || (!HAS_MASKS && n < NAME(LANES))) return false;
  const int64_t row = g->b_stride[0] * (int64_t)sizeof(STORED), power = row & -row;
  if (g->m < MANY_ROWS) return true;
  if (g->k * power > MOST_SPREAD) return false;
  const bool crosses = (row | (int64_t)(uintptr_t)strip) % BYTES != 0;
  return g->m < 2 * MANY_ROWS || g->k * width * (int64_t)sizeof(STORED) <= (crosses ? MOST_CROSSING : MOST_IN_PLACE);
}

/* Computes one product of the batch. Tiles are written directly to c if `plain` is true. */
static void NAME(direct_one)(const direct_product *g, const STORED *a, const STORED *b, STORED *c, bool plain) {
  _Alignas(64) STORED packed[STRIP_VECTORS * NAME(LANES)];
  NAME(strip) s = {.k = g->k, .a_stride = {g->a_stride[0], g->a_stride[1]}, .add = plain && g->beta.f != 0};
  const uint32_t widest = NAME(widest_strip)(g);
  for (int64_t j = 0, width; j < g->n; j += width) {
    width = NAME(strip_vectors)(g->n - j, widest) * NAME(LANES);
    const int64_t n = least_of(width, g->n - j);
    const STORED *strip = b + j * g->b_stride[1];
    const bool in_place = NAME(reads_in_place)(g, strip, n, width);
    if (!in_place) NAME(pack_strip)(g, strip, n, packed, width);
    s.b = in_place ? strip : packed;
    s.b_row = in_place ? g->b_stride[0] : width;
    s.some = least_of(n, NAME(LANES));
    s.c_last = n - s.some;
    s.b_last = in_place ? s.c_last : width - NAME(LANES);
    NAME(direct_strip)(g, &s, a, n, width, c + j * g->c_stride[1], plain);
  }
}

static void NAME(direct)(const direct_product *g) {
  const STORED *a = g->a, *b = g->b;
  STORED *c = g->c;
  bool plain = g->alpha.f == 1 && (g->beta.f == 0 || g->beta.f == 1) && g->c_stride[1] == 1;
  for (int64_t i = 0; i < g->count; i++, a += g->a_next, b += g->b_next, c += g->c_next)
    NAME(direct_one)(g, a, b, c, plain);
}

/* ---- dot products of short rows ----
** A vector has one sum of each of LANES rows. Products of few terms are added in order, so that the result does not
** depend on the instruction set. */

/* Loads one element of each of n rows, for n up to LANES. */
INLINE NAME(vector) NAME(load_column)(const STORED *p, int64_t row, int64_t n) {
  if (row == 1) return NAME(load_part)(p, n);
  NAME(vector) v = {0};
  for (int64_t i = 0; i < n; i++) v[i] = p[i * row];
  return v;
}

/* Returns the dot products of n rows, at most LANES. */
INLINE NAME(vector) NAME(dots_of_rows)(const row_dots *d, const STORED *a, const STORED *b, int64_t n) {
  const int64_t *x_stride = d->a_stride, *y_stride = d->b_stride;
  NAME(vector) sum = {0}, x[NAME(GROUP)], y[NAME(GROUP)];
  int64_t p = 0;
  if (x_stride[1] == 1 && y_stride[1] == 1)
    for (; p + NAME(GROUP) <= d->k; p += NAME(GROUP)) {
      NAME(load_columns)(n, x, a + p, x_stride[0]);
      NAME(load_columns)(n, y, b + p, y_stride[0]);
      UNROLL(4)
      for (int i = 0; i < NAME(GROUP); i++) sum = FMA(x[i], y[i], sum);
    }
  for (; p < d->k; p++)
    sum = FMA(NAME(load_column)(a + p * x_stride[1], x_stride[0], n),
              NAME(load_column)(b + p * y_stride[1], y_stride[0], n), sum);
  return sum;
}

/* The longest rows that are shorter than the time to add the lanes of a vector. */
enum { NAME(SHORT_ROW) = 2 * NAME(LANES) };

static void NAME(dots)(const row_dots *d) {
  const STORED *a = d->a, *b = d->b;
  STORED *c = d->c;
  bool by_rows = d->k > NAME(SHORT_ROW) && d->a_stride[1] == 1 && d->b_stride[1] == 1;
  for (int64_t i = 0, n; i < d->rows; i += n) {
    const STORED *x = a + i * d->a_stride[0], *y = b + i * d->b_stride[0];
    n = by_rows ? 1 : least_of(NAME(LANES), d->rows - i);
    if (by_rows) NAME(dot)(d->k, x, y, c + i);
    else if (n == NAME(LANES)) NAME(store)(c + i, NAME(load)(c + i) + NAME(dots_of_rows)(d, x, y, NAME(LANES)));
    else NAME(store_part)(c + i, NAME(load_part)(c + i, n) + NAME(dots_of_rows)(d, x, y, n), n);
  }
}

#undef DIRECT_TILE
#undef DIRECT_ENTRY
#undef NAME
#undef FMA
#undef STORED
