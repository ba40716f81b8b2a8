/* Reductions. The file is compiled for one row of ops.def (OP: row_sum …), for elements of dtype IN, computation in
** dtype COMPUTE, and results of dtype OUT (DT_float32 …).
**
** A block computes `columns` outputs. For each output `rows` threads read one chunk of the reduced elements. If the
** reduced elements are closer together than the outputs, the threads of an output are neighbours. Otherwise the
** threads of neighbouring outputs are neighbours. In both cases neighbouring threads read neighbouring elements. If
** an output has several chunks, the accumulator of each chunk is stored as a state, and reduce_merge merges the states.
** Only shape and layout determine the elements of a thread, so every GPU computes the same results. */

#define KERNEL_THREADS 256

#include "gpu/kernels/fold.cuh"

typedef OP<C> Row;

INLINE void store_result(const reduce_args &p, int64_t output, Row::A a) {
  out_t *out = (out_t *)p.out + nest_offset(p.kept, 0, output);
  *out = store(Row::finish(a, (double)p.n, p.correction));
}

INLINE void leave(const reduce_args &p, const place &at, Row::A a) {
  if (at.row != 0) return;
  if (p.chunks == 1) store_result(p, at.output, a);
  else *state_of<Row::A>(p, at.output, at.chunk, p.chunks) = a;
}

INLINE elements input_of(const reduce_args &p, elements x, int64_t output) { return x + nest_offset(p.kept, 1, output); }

/* Reduces elements that are contiguous along their innermost dim. p.across must be false. */
KERNEL_COOPERATIVE(reduce_rows)(reduce_args first PROGRAM_PARAMETERS) {
  const reduce_args &p = in_place(first);
  place at = find_place(p);
  Row::run r = Row::init();
  if (at.row >= 0)
    fold_runs<Row>(r, p, input_of(p, ELEMENTS(p), at.output), begin_of_chunk(p, at.chunk), end_of_chunk(p, at.chunk), at.row);
  leave(p, at, merge_group<Row>(Row::total(r), p.rows));
}

KERNEL_COOPERATIVE(reduce_anywhere)(reduce_args p PROGRAM_PARAMETERS) {
  place at = find_place(p);
  Row::run r = Row::init();
  if (at.row >= 0)
    fold_anywhere<Row>(r, p, input_of(p, ELEMENTS(p), at.output), begin_of_chunk(p, at.chunk), end_of_chunk(p, at.chunk), at.row);
  leave(p, at, merge_rows<Row>(p, Row::total(r)));
}

/* Merges the states (accumulators) of the p.parts chunks of each output. p.across determines the layout of the states.
** The threads of an output are neighbours. */
KERNEL_COOPERATIVE(reduce_merge)(reduce_args p) {
  int row = (int)threadIdx.x % p.rows;
  int64_t output = (int64_t)blockIdx.x * p.columns + threadIdx.x / p.rows;
  Row::A a = Row::total(Row::init());
  if (output < p.outputs)
    for (int k = row; k < p.parts; k += p.rows) a = Row::merge(a, *state_of<Row::A>(p, output, k, p.parts));
  a = merge_group<Row>(a, p.rows);
  if (row == 0 && output < p.outputs) store_result(p, output, a);
}
