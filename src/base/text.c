#define _GNU_SOURCE
#include "base/text.h"

#include <locale.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __APPLE__
#include <xlocale.h>
#endif

/* Returns the C locale of the process, which is made at the first call and never freed. Returns 0 if memory is
** exhausted. */
static locale_t c_locale(void) {
  static _Atomic(locale_t) made;
  locale_t now = atomic_load(&made), none = (locale_t)0;
  if (now) return now;
  now = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (now && !atomic_compare_exchange_strong(&made, &none, now)) {
    freelocale(now);
    now = none;
  }
  return now;
}

void *text_enter(void) { return (void *)uselocale(c_locale()); }
void  text_leave(void *before) { uselocale((locale_t)before); }

double text_number(const char *text, char **end) {
  void *before = text_enter();
  double x = strtod(text, end);
  text_leave(before);
  return x;
}

bool text_bytes(const char *text, size_t *bytes) {
  static const char units[] = "KMGTkmgt";
  char *end;
  double n = text_number(text, &end);
  const char *unit = *end ? strchr(units, *end) : NULL;
  if (end == text || (*end && (!unit || end[1]))) return false;
  for (int k = unit ? (int)(unit - units) % 4 : -1; k >= 0; k--) n *= 1024;
  if (!(n >= 1 && n < 0x1p63)) return false;
  *bytes = (size_t)n;
  return true;
}

int text_print(char *to, size_t size, const char *format, double x) {
  void *before = text_enter();
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  int n = snprintf(to, size, format, x);
#pragma GCC diagnostic pop
  text_leave(before);
  return n;
}

bool text_is_alnum(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool text_escape(char *to, size_t size, const char *path) {
  size_t n = 0;
  for (; *path && n + 2 < size; path++) {
    if (strchr("*?[\\", *path)) to[n++] = '\\';
    to[n++] = *path;
  }
  to[n] = 0;
  return !*path;
}
