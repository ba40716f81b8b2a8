/* The functions that Debian's static OpenBLAS calls and musl lacks: glibc's checked functions, and a few functions of
** OpenMP and Fortran. tools/test_musl links OpenBLAS and these functions into the module. */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- OpenMP, with one thread ---- */

void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags);
void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags) {
  (void)threads, (void)flags;
  function(data);
}

#define CONSTANT(name, value) int name(void); int name(void) { return value; }
CONSTANT(omp_get_max_threads, 1)
CONSTANT(omp_get_num_places, 1)
CONSTANT(omp_get_num_threads, 1)
CONSTANT(omp_get_thread_num, 0)
CONSTANT(omp_in_parallel, 0)

void omp_set_num_threads(int n);
void omp_set_num_threads(int n) { (void)n; }

/* ---- Fortran ---- */

/* Joins string a of n bytes and string b of m bytes. Cuts the result to `room` bytes, or pads it with spaces. */
void _gfortran_concat_string(size_t room, char *to, size_t n, const char *a, size_t m, const char *b);
void _gfortran_concat_string(size_t room, char *to, size_t n, const char *a, size_t m, const char *b) {
  memset(to, ' ', room);
  memcpy(to, a, n < room ? n : room);
  if (n < room) memcpy(to + n, b, m < room - n ? m : room - n);
}

void _gfortran_etime(float times[2], float *sum);
void _gfortran_etime(float times[2], float *sum) { times[0] = times[1] = *sum = 0; }

/* ---- glibc's checked functions ----
** glibc's functions check whether the result fits. These replacements check nothing. */

void *__memset_chk(void *to, int byte, size_t n, size_t room);
void *__memset_chk(void *to, int byte, size_t n, size_t room) {
  (void)room;
  return memset(to, byte, n);
}

char *__strcat_chk(char *to, const char *text, size_t room);
char *__strcat_chk(char *to, const char *text, size_t room) {
  (void)room;
  return strcat(to, text);
}

int __vfprintf_chk(FILE *to, int flag, const char *format, va_list values);
int __vfprintf_chk(FILE *to, int flag, const char *format, va_list values) {
  (void)flag;
  return vfprintf(to, format, values);
}

#define PRINTS(call)              \
  va_list values;                 \
  va_start(values, format);       \
  int n = call;                   \
  va_end(values);                 \
  return n

int __fprintf_chk(FILE *to, int flag, const char *format, ...);
int __fprintf_chk(FILE *to, int flag, const char *format, ...) {
  (void)flag;
  PRINTS(vfprintf(to, format, values));
}

int __printf_chk(int flag, const char *format, ...);
int __printf_chk(int flag, const char *format, ...) {
  (void)flag;
  PRINTS(vprintf(format, values));
}

int __sprintf_chk(char *to, int flag, size_t room, const char *format, ...);
int __sprintf_chk(char *to, int flag, size_t room, const char *format, ...) {
  (void)flag;
  PRINTS(vsnprintf(to, room, format, values));
}

int __snprintf_chk(char *to, size_t most, int flag, size_t room, const char *format, ...);
int __snprintf_chk(char *to, size_t most, int flag, size_t room, const char *format, ...) {
  (void)flag, (void)room;
  PRINTS(vsnprintf(to, most, format, values));
}
