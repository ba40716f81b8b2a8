/* Finds the places in the stored calls of a graph that contain addresses of some bytes, so that a replay may use other memory.
** The tables below list the pointers of call structs. A call of another family, or a pointer that a table lacks, makes the
** search fail if it refers to the bytes. */

#include <string.h>

#include "base/grow.h"
#include "cpu/graph.h"

/* `count` pointers, of which the first is at offset `at` of a struct, and the next is `step` bytes later. */
typedef struct pointers {
  size_t at, count, step;
} pointers;

#define POINTER(call, field) {offsetof(call, field), 1, 0}
#define POINTERS(call, field, n, type) {offsetof(call, field), n, sizeof(type)}
#define END {0, 0, 0}

/* `data` is the first field of these structs. */
_Static_assert(offsetof(operand, data) == 0 && offsetof(index_source, data) == 0, "the tables rely on these offsets");

static const pointers
  of_map[] = {POINTER(map_call, out), POINTERS(map_call, in, MAX_IN, operand), END},
  of_elementwise[] = {POINTERS(elementwise_call, out, ELEMENTWISE_RESULTS, operand),
                      POINTERS(elementwise_call, in, ELEMENTWISE_INPUTS, operand), END},
  of_reduce[] = {POINTER(reduce_call, in), POINTER(reduce_call, out), END},
  of_scan[] = {POINTER(scan_call, line.in), POINTER(scan_call, line.out), END},
  of_softmax[] = {POINTER(softmax_call, line.in), POINTER(softmax_call, line.out), END},
  of_gemm[] = {POINTER(gemm_call, a), POINTER(gemm_call, b), POINTER(gemm_call, c), END},
  of_cross_entropy[] = {POINTER(cross_entropy_call, in), POINTER(cross_entropy_call, classes),
                        POINTER(cross_entropy_call, losses), POINTER(cross_entropy_call, sums),
                        POINTER(cross_entropy_call, out), END},
  of_index[] = {POINTER(index_call, values), POINTER(index_call, target),
                POINTERS(index_call, index, MAX_DIMS, index_source), END},
  of_conv[] = {POINTER(conv_call, x), POINTER(conv_call, w), POINTER(conv_call, y), POINTER(conv_call, bias), END},
  of_random[] = {POINTER(random_call, out), END},
  none[] = {END};

static const pointers *pointers_of(enum profile_family family) {
  switch (family) {
    case PROFILE_map:           return of_map;
    case PROFILE_elementwise:   return of_elementwise;
    case PROFILE_reduce:        return of_reduce;
    case PROFILE_scan:          return of_scan;
    case PROFILE_softmax:       return of_softmax;
    case PROFILE_gemm:          return of_gemm;
    case PROFILE_cross_entropy: return of_cross_entropy;
    case PROFILE_index:         return of_index;
    case PROFILE_conv:          return of_conv;
    case PROFILE_random:        return of_random;
    default:                    return none;
  }
}

/* True if the bytes at `at` are an address within `bytes` bytes from `from`. */
static bool refers(const char *at, const void *from, size_t bytes) {
  uintptr_t address;
  memcpy(&address, at, sizeof address);
  return address - (uintptr_t)from < bytes;
}

static bool add(graph_uses *uses, char *at) {
  char **list = list_with_room(uses->at, uses->count, &uses->capacity, sizeof *list);
  if (!list) return false;
  uses->at = list;
  list[uses->count++] = at;
  return true;
}

int cpu_call_uses(enum profile_family family, void *call, size_t size, const void *from, size_t bytes, graph_uses *uses) {
  size_t before = uses->count, words = 0;
  for (const pointers *p = pointers_of(family); p->count; p++)
    for (size_t k = 0; k < p->count; k++) {
      char *at = (char *)call + p->at + k * p->step;
      if (refers(at, from, bytes) && !add(uses, at)) return ERR_MEMORY;
    }
  for (size_t k = 0; k + sizeof(void *) <= size; k += sizeof(void *)) words += refers((char *)call + k, from, bytes);
  return words == uses->count - before ? OK : ERR_NO_KERNEL;
}
