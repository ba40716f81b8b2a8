/* Appended to every emulated program: the code by which the driver starts kernels. nvrtc.cpp adds the list of the
** kernels. */

template <auto K> struct simt_launcher;
template <class... A, void (*K)(A...)> struct simt_launcher<K> {
  template <int... I> struct order {};
  template <int N, int... I> struct count : count<N - 1, N - 1, I...> {};
  template <int... I> struct count<0, I...> { typedef order<I...> type; };

  /* Runs threads of a block. Each thread gets its own copies of the arguments, as on a GPU. */
  template <int... I> static void threads(void **a, order<I...>) {
    (void)a;
    do K(*(A *)a[I]...);
    while (simt_now.host->next());
  }
  static void run(void **a) { threads(a, typename count<sizeof...(A)>::type()); }
  static constexpr unsigned sizes[] = {sizeof(A)..., 0};
  static constexpr int arguments = sizeof...(A);
};

/* The arguments are those of the kernel's __launch_bounds__. */
static constexpr int simt_threads(int most = 1024, ...) { return most; }

template <auto K> static constexpr simt_kernel simt_row(const char *name, int threads) {
  typedef simt_launcher<K> launcher;
  return {name, launcher::run, launcher::arguments, launcher::sizes, threads};
}
