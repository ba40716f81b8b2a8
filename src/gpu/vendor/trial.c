/* Tries whether a run-time compiler generates code for a processor. AMD's hipRTC ends the process at a processor that it
** does not know, so a child process calls the compiler. */

#include "gpu/vendor/vendor.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/system.h"
#include "gpu/cache.h"

/* Seconds after which the child is killed. hipRTC 5.2.3 compiles a small kernel in 0.3. A child hangs if another thread of
** the host held a lock of the compiler at the fork. */
enum { PATIENCE = 30 };

typedef struct question {
  const gpu_vendor *vendor;
  const char       *processor;
} question;

static bool compiles(void *argument) {
  const question *q = argument;
  const gpu_vendor *v = q->vendor;
  char target[96];
  const char *options[] = {target};
  rtc_program p = NULL;
  snprintf(target, sizeof target, "--gpu-architecture=%s", q->processor);
  return v->rtc.create(&p, "extern \"C\" __global__ void trial(int *x) { *x = 1; }\n", "trial", 0, NULL, NULL) == RTC_SUCCESS
    && v->rtc.compile(p, 1, options) == RTC_SUCCESS;
}

static enum gpu_trial ask_child(const gpu_vendor *v, const char *processor) {
  static const enum gpu_trial meaning[] = {
    [SYSTEM_TRUE] = GPU_COMPILES, [SYSTEM_FALSE] = GPU_REFUSES, [SYSTEM_ENDED] = GPU_REFUSES, [SYSTEM_UNTRIED] = GPU_UNTRIED
  };
  char words[1];
  return meaning[system_try(compiles, &(question){v, processor}, PATIENCE, words, sizeof words)];
}

enum gpu_trial gpu_try_compiler(const gpu_vendor *v, const char *processor) {
  uint8_t key[HASH_SIZE];
  size_t bytes;
  hash h;
  hash_start(&h);
  hash_add(&h, &v->versions.compiler, sizeof v->versions.compiler);
  hash_text(&h, "trial");
  hash_text(&h, processor);
  hash_finish(&h, key);
  char *kept = cache_read(key, &bytes);
  enum gpu_trial answer = kept ? GPU_COMPILES : ask_child(v, processor);
  if (answer == GPU_COMPILES && !kept) cache_write(key, "1", 1);
  free(kept);
  return answer;
}
