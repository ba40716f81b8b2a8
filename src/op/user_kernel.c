#include "op/user_kernel.h"

#include <string.h>

#include "base/dispatch.h"

int user_kernel_run(place where, const user_kernel_job *j) {
  user_kernel_call c;
  c.kernel = j->kernel;
  c.count = j->count;
  c.shared = j->shared;
  memcpy(c.grid, j->grid, sizeof c.grid);
  memcpy(c.block, j->block, sizeof c.block);
  for (int i = 0; i < j->count; i++) {
    const user_kernel_input *in = &j->in[i];
    const tensor *t = in->t;
    c.argument[i] = (user_kernel_argument){.value = t ? (uint64_t)(uintptr_t)tensor_data(t) : in->value, .pointer = t != NULL,
                                           .written = in->written, .bytes = t ? (size_t)t->count * (size_t)dtype_size(t->dtype) : 0};
  }
  return device_user_kernel(where, &c);
}
