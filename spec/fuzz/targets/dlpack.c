/* libFuzzer's target for the structs of DLPack. The first byte of the input chooses the version of the struct, and
** which lists it has. The bytes of the struct and of its lists follow. */

#include <stdlib.h>
#include <string.h>

#include "io/dlpack.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n);

/* The devices of this process: the CPU, and two of a GPU's kind. No other function of these devices than
** `count` is called. */
static int two(void) { return 2; }
static const device gpu = {.name = "cuda", .dlpack = DL_CUDA, .count = two};
static const device cpu = {.name = "cpu", .dlpack = DL_CPU, .host_memory = true};
place host_place(void) { return (place){&cpu, 0}; }
const device *device_kind(int number) { return number == 0 ? &cpu : number == 1 ? &gpu : NULL; }

/* The part of the input that has not been read. After its end, take() reads zeros. */
typedef struct bytes {
  const unsigned char *at;
  size_t left;
} bytes;

static void take(bytes *b, void *to, size_t n) {
  size_t some = n < b->left ? n : b->left;
  memset(to, 0, n);
  if (some) memcpy(to, b->at, some);
  b->at += some;
  b->left -= some;
}

/* Reads a list with a number for each dim, for at most 20 dims. Returns NULL unless `there`. The caller frees the
** list. */
static int64_t *take_list(bytes *b, int ndim, bool there) {
  size_t size = (size_t)(ndim < 0 ? 0 : ndim > 20 ? 20 : ndim) * sizeof(int64_t);
  int64_t *list = there ? malloc(size ? size : 1) : NULL;
  if (list) take(b, list, size);
  return list;
}

/* Checks a description that was accepted: its sizes must not overflow. */
static void check(const tensor *t, const void *data) {
  if (t->shape.ndim < 0 || t->shape.ndim > MAX_DIMS || t->count < 0) abort();
  if (t->count > 0 && !data) abort();
  for (int d = 0; d < t->shape.ndim; d++)
    if (t->shape.dim[d] < 0) abort();
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n) {
  bytes b = {data, n};
  unsigned char how;
  dl_versioned new;
  dl_managed old;
  tensor t;
  place where;
  void *at;
  bool read_only;
  take(&b, &how, 1);
  take(&b, &new, sizeof new);
  if (how & 1) new.version.major = DL_MAJOR;
  dl_tensor *struct_of = how & 2 ? &old.tensor : &new.tensor;
  old = (dl_managed){.tensor = new.tensor};
  struct_of->shape = take_list(&b, struct_of->ndim, how & 4);
  struct_of->strides = take_list(&b, struct_of->ndim, how & 8);
  dl_owned owned = {how & 2 ? (void *)&old : (void *)&new, !(how & 2)};
  if (!dlpack_describe(&owned, &t, &at, &where, &read_only)) check(&t, at);
  free(struct_of->shape);
  free(struct_of->strides);
  return 0;
}
