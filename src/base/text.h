#ifndef LT_BASE_TEXT_H
#define LT_BASE_TEXT_H

/* Text functions that do not depend on the process's locale: numbers have a decimal point, strings are compared by
** their bytes. */

#include <stdbool.h>
#include <stddef.h>

/* Puts the calling thread into the C locale. Returns the previous locale, for text_leave. Other threads are not
** affected. */
void *text_enter(void);
void  text_leave(void *before);

/* Like strtod, but in the C locale. */
double text_number(const char *text, char **end);

/* Reads a size such as "1048576", "512M" or "1.5G" into *bytes, at least 1. Returns false if the text is no such
** size. */
bool text_bytes(const char *text, size_t *bytes);

/* Like snprintf for one number, but in the C locale. */
int text_print(char *to, size_t size, const char *format, double x);

/* True if the character is an ASCII letter or digit. */
bool text_is_alnum(char c);

/* Copies the path with backslashes before the characters that are special in a pattern of glob. Returns false if the copy
** does not fit. */
bool text_escape(char *to, size_t size, const char *path);

#endif
