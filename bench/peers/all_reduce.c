/* The engine's own all-reduce, measured as osu_allreduce of the OSU micro-benchmarks does: the mean time of many calls
   after calls to warm up, with a barrier after each call. In place, because the gradients of training are added in
   place.

     mpicc -O2 -o all_reduce bench/peers/all_reduce.c && mpirun -n 2 ./all_reduce 16777216

   prints "bytes seconds seconds" for each size from 8 bytes on: the mean and the median of the calls, each as the mean
   over the processes. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Returns the mean and the median seconds of this process's calls. */
static void time_calls(float *data, size_t bytes, double result[2]) {
  static double times[1000];
  int warm = bytes <= 8192 ? 200 : 10, count = bytes <= 8192 ? 1000 : 100;
  double total = 0;
  for (int i = -warm; i < count; i++) {
    double start = MPI_Wtime();
    MPI_Allreduce(MPI_IN_PLACE, data, (int)(bytes / sizeof *data), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    if (i >= 0) total += times[i] = MPI_Wtime() - start;
    MPI_Barrier(MPI_COMM_WORLD);
  }
  qsort(times, (size_t)count, sizeof *times, ascending);
  result[0] = total / count;
  result[1] = times[count / 2];
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  size_t largest = argc > 1 ? strtoull(argv[1], NULL, 10) : 16777216;
  float *data = calloc(1, largest);
  if (!data) MPI_Abort(MPI_COMM_WORLD, 1);
  for (size_t bytes = 8; bytes <= largest; bytes *= 2) {
    double mine[2], sum[2];
    time_calls(data, bytes, mine);
    MPI_Reduce(mine, sum, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%zu %.9f %.9f\n", bytes, sum[0] / size, sum[1] / size);
  }
  free(data);
  MPI_Finalize();
  return 0;
}
