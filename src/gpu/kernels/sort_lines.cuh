/* Kernels for sorting along a dim. A line is the sequence of elements along this dim. Each element is converted to a
** key, an unsigned integer, such that keys have the order of the elements. Keys are sorted together with positions,
** so that equal elements keep their order. Values are then fetched by position, so that each value keeps its bits. D
** is the dtype. POSITION_BITS is the width of a position in a long line, 32 or 64. */

#define KERNEL_THREADS 1024
#include "gpu/kernels/groups.cuh"
#include "gpu/kernels/scalar.cuh"
#include "gpu/kernels/sort_args.cuh"

typedef stored_t<D> T;

template <int bytes> struct unsigned_of { typedef uint32_t type; };
template <> struct unsigned_of<1> { typedef uint8_t type; };
template <> struct unsigned_of<2> { typedef uint16_t type; };
template <> struct unsigned_of<8> { typedef uint64_t type; };
typedef unsigned_of<sizeof(T)>::type bits;
typedef unsigned_of<sizeof(T) == 8 ? 8 : 4>::type key;
typedef unsigned_of<POSITION_BITS / 8>::type position;

/* ---- keys ---- */

static constexpr bits SIGN = (bits)((bits)1 << (8 * sizeof(T) - 1));
static constexpr bits INFINITE = (bits)(D == DT_float16 ? 0x7c00 : D == DT_bfloat16 ? 0x7f80 :
                                        D == DT_float32 ? 0x7f800000 : 0x7ff0000000000000);

INLINE bits bits_of(float x) { return (bits)bits_float32(x); }
INLINE bits bits_of(double x) { return (bits)bits_float64(x); }
template <class I> INLINE bits bits_of(I x) { return (bits)x; }

/* Returns the key of the float with the bits x. The bits of negative floats are inverted, because greater bits mean a
** smaller negative float. Both zeros have the same key. All NaNs have the greatest key. */
INLINE bits float_key(bits x) {
  bits magnitude = (bits)(x & ~SIGN);
  if (magnitude > INFINITE) return (bits)~(bits)0;
  if (magnitude == 0) return SIGN;
  return (bits)(x & SIGN ? ~x : x | SIGN);
}

INLINE key key_of(T x, int descending) {
  constexpr int kind = element<D>::kind;
  bits b = bits_of(x);
  if constexpr (kind == KIND_FLOAT) b = float_key(b);
  else if constexpr (kind == KIND_INT) b ^= SIGN;
  return descending ? ~(key)b : (key)b;
}

/* ---- elements ---- */

INLINE const T *line_of(const sort_args &a, int64_t line) {
  return (const T *)a.in + nest_offset(a.from, 0, a.first + line);
}

/* Writes element i of a sorted line. `at` is the position of this element in the unsorted line. */
INLINE void write_element(const sort_args &a, int64_t line, int64_t i, int64_t at) {
  if (a.values)
    ((T *)a.values)[nest_offset(a.to, 0, a.first + line) + i * a.values_stride] = line_of(a, line)[at * a.in_stride];
  if (a.positions) a.positions[nest_offset(a.to, 1, a.first + line) + i * a.positions_stride] = at + 1;
}

/* ---- short lines ---- */

/* A block sorts several lines in shared memory. */

INLINE void order_pair(key *keys, uint16_t *places, int i, int j) {
  key a = keys[i], b = keys[j];
  uint16_t p = places[i], q = places[j];
  if (a < b || (a == b && p < q)) return;
  keys[i] = b;
  keys[j] = a;
  places[i] = q;
  places[j] = p;
}

/* Waits between two steps of the network. In the previous step, elements were compared within spans of `before`
** elements, and in the next step within spans of `span` elements. A span of at most 2 * WARP elements is processed by
** one warp, for which a barrier of the warp suffices. */
INLINE void wait_for_span(int before, int span) {
  if (before > 2 * WARP || span > 2 * WARP) __syncthreads();
  else wait_for_warp();
}

/* Sorts `room` elements in groups of `length` neighbours by a bitonic sorting network. Both numbers are powers of 2.
** The network merges sorted groups of 1, 2, 4 … elements. In each step every element is compared with one other
** element: in the first step of a merge with its mirror image, in later steps with the element at the distance `by`. */
INLINE void sort_network(key *keys, uint16_t *places, int room, int length) {
  int before = room;
  for (int size = 2; size <= length; size *= 2)
    for (int by = size / 2; by > 0; by /= 2) {
      wait_for_span(before, 2 * by);
      before = 2 * by;
      for (int t = (int)threadIdx.x; t < room / 2; t += (int)blockDim.x) {
        int low = t & (by - 1), i = 2 * t - low;
        order_pair(keys, places, i, 2 * by == size ? i + size - 1 - 2 * low : i + by);
      }
    }
  __syncthreads();
}

/* Finds the element that the block loads or stores as its e-th element: sets *line to its line (0 … lines - 1 in the
** block) and *i to its number in the line. Elements with consecutive e are neighbours in memory. */
INLINE void find_slot(const sort_args &a, int e, int lines, int length, int *line, int *i) {
  *line = a.across ? e % lines : e / length;
  *i = a.across ? e / lines : e % length;
}

/* Sorts short lines. `length` is a power of 2 and at least a.n. `room` is the number of elements of all lines of a
** block, each padded to `length`. */
KERNEL_COOPERATIVE(sort_short)(const __grid_constant__ sort_args a, int room, int length) {
  extern __shared__ __align__(8) unsigned char memory[];
  key *keys = (key *)memory;
  uint16_t *places = (uint16_t *)(keys + room);
  int lines = room / length, line, i;
  int64_t first = (int64_t)blockIdx.x * lines;
  for (int e = (int)threadIdx.x; e < room; e += (int)blockDim.x) {
    find_slot(a, e, lines, length, &line, &i);
    bool there = first + line < a.lines && i < a.n;
    keys[line * length + i] = there ? key_of(line_of(a, first + line)[i * a.in_stride], a.descending) : ~(key)0;
    places[line * length + i] = (uint16_t)i;
  }
  sort_network(keys, places, room, length);
  for (int e = (int)threadIdx.x; e < room; e += (int)blockDim.x) {
    find_slot(a, e, lines, length, &line, &i);
    if (first + line < a.lines && i < a.keep) write_element(a, first + line, i, places[line * length + i]);
  }
}

/* ---- the first elements of a long line ---- */

/* A block sorts one chunk of the line. The first `keep` elements of all chunks are the candidates for the first `keep`
** elements of the line. */

/* Writes the first a.keep keys of each sorted chunk of SORT_ROOM elements, and their positions in the line, as
** [line][chunk][keep]. The last chunk is padded with elements that have the greatest key and positions after the end of
** the line, so that the padding comes last. */
KERNEL_COOPERATIVE(sort_chunks)(const __grid_constant__ sort_args a, unsigned chunks, key *keys_out, position *order) {
  extern __shared__ __align__(8) unsigned char memory[];
  key *keys = (key *)memory;
  uint16_t *places = (uint16_t *)(keys + SORT_ROOM);
  int64_t line = blockIdx.x / chunks, first = (int64_t)(blockIdx.x % chunks) * SORT_ROOM, to = blockIdx.x * a.keep;
  const T *in = line_of(a, line);
  for (int e = (int)threadIdx.x; e < SORT_ROOM; e += (int)blockDim.x) {
    keys[e] = first + e < a.n ? key_of(in[(first + e) * a.in_stride], a.descending) : ~(key)0;
    places[e] = (uint16_t)e;
  }
  sort_network(keys, places, SORT_ROOM, SORT_ROOM);
  for (int i = (int)threadIdx.x; i < a.keep; i += (int)blockDim.x) {
    keys_out[to + i] = keys[i];
    order[to + i] = (position)(first + places[i]);
  }
}

/* Sorts the n candidates of each line, which sort_chunks has written, in one block. `room` is a power of 2 and at
** least n. */
KERNEL_COOPERATIVE(sort_candidates)(const __grid_constant__ sort_args a, int n, int room, const key *candidates,
                                    const position *order) {
  extern __shared__ __align__(8) unsigned char memory[];
  key *keys = (key *)memory;
  uint16_t *places = (uint16_t *)(keys + room);
  int64_t line = blockIdx.x;
  for (int e = (int)threadIdx.x; e < room; e += (int)blockDim.x) {
    keys[e] = e < n ? candidates[line * n + e] : ~(key)0;
    places[e] = (uint16_t)e;
  }
  sort_network(keys, places, room, room);
  for (int i = (int)threadIdx.x; i < a.keep; i += (int)blockDim.x)
    write_element(a, line, i, (int64_t)order[line * n + places[i]]);
}

/* ---- long lines ---- */

/* The kernels in sort.cuh sort the keys of long lines. */

/* Returns this thread's first element, and sets *line to its line. Each line is processed by `blocks` blocks. */
INLINE int64_t first_element(unsigned blocks, int64_t *line) {
  *line = blockIdx.x / blocks;
  return (int64_t)(blockIdx.x % blocks) * (SORT_THREADS * SORT_ITEMS) + threadIdx.x;
}

KERNEL(make_keys)(const __grid_constant__ sort_args a, unsigned blocks, key *keys) {
  int64_t line, first = first_element(blocks, &line);
  const T *in = line_of(a, line);
  for (int j = 0; j < SORT_ITEMS; j++) {
    int64_t i = first + j * SORT_THREADS;
    if (i < a.n) keys[line * a.n + i] = key_of(in[i * a.in_stride], a.descending);
  }
}

/* Writes the first a.keep sorted elements of each line. `order` has a.n sorted positions for each line, either of all
** elements or of the candidates. */
KERNEL(write_sorted)(const __grid_constant__ sort_args a, unsigned blocks, const position *order) {
  int64_t line, first = first_element(blocks, &line);
  for (int j = 0; j < SORT_ITEMS; j++) {
    int64_t i = first + j * SORT_THREADS;
    if (i < a.keep) write_element(a, line, i, order[line * a.n + i]);
  }
}
