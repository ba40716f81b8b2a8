/* Sorting along lines. Elements become keys: unsigned numbers in the same order. Keys are sorted together with
** positions, so that equal elements keep their order. Values are then fetched by position, so that each value keeps its
** bits. D is the dtype; POSITION_BITS are the bits of a position in a long line. */

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

/* Returns the key of a float. Negative floats are in reverse order. Both zeros have the same key. All NaNs have the
** greatest key. */
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

/* Writes element i of a sorted line, which is the element at `at`. */
INLINE void write_element(const sort_args &a, int64_t line, int64_t i, int64_t at) {
  if (a.values)
    ((T *)a.values)[nest_offset(a.to, 0, a.first + line) + i * a.values_stride] = line_of(a, line)[at * a.in_stride];
  if (a.positions) a.positions[nest_offset(a.to, 1, a.first + line) + i * a.positions_stride] = at + 1;
}

/* ---- short lines: a block sorts several lines in shared memory ---- */

INLINE void order_pair(key *keys, uint16_t *places, int i, int j) {
  key a = keys[i], b = keys[j];
  uint16_t p = places[i], q = places[j];
  if (a < b || (a == b && p < q)) return;
  keys[i] = b;
  keys[j] = a;
  places[i] = q;
  places[j] = p;
}

/* A barrier between two steps of the network, which compare elements within spans of `before` and of `span` elements. A
** span of up to 64 elements belongs to one warp, so that a barrier of the warp suffices. */
INLINE void wait_for_span(int before, int span) {
  if (before > 64 || span > 64) __syncthreads();
  else __syncwarp();
}

/* Sorts each `length` of `room` neighbours, both powers of 2, by a sorting network. The network merges pairs, then
** fours, and so on. In each step every element is compared with one other element: in the first step of a merge with
** its mirror image, later with the element `by` apart. */
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

/* Finds the line of the block, and the element of that line, for slot e. Neighbours in memory have neighbouring e. */
INLINE void find_slot(const sort_args &a, int e, int lines, int length, int *line, int *i) {
  *line = a.across ? e % lines : e / length;
  *i = a.across ? e / lines : e % length;
}

/* Sorts short lines. length: a power of 2, at least a.n; room: the elements of the block's lines. */
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

/* ---- the first elements of a long line ----
** A block sorts one chunk of the line. The first elements of all chunks are the candidates. */

/* Writes the first `keep` keys of each chunk of SORT_ROOM elements, with their positions: [line][chunk][keep]. Missing
** elements of the last chunk get positions beyond the line, and come last. */
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

/* Sorts n candidates of each line, one block for each line. room: a power of 2, at least n. */
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

/* ---- long lines: their keys are sorted by sort.cuh ---- */

/* Returns the first element of a thread, and its line. blocks: the number of blocks for each line. */
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

/* Writes sorted elements. order: a.n positions for each line, possibly of candidates. */
KERNEL(write_sorted)(const __grid_constant__ sort_args a, unsigned blocks, const position *order) {
  int64_t line, first = first_element(blocks, &line);
  for (int j = 0; j < SORT_ITEMS; j++) {
    int64_t i = first + j * SORT_THREADS;
    if (i < a.keep) write_element(a, line, i, order[line * a.n + i]);
  }
}
