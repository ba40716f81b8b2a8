#ifndef LT_BASE_TEXT_H
#define LT_BASE_TEXT_H

/* Text that does not depend on the process's locale: numbers with a decimal point, bytes in byte order. */

#include <stdbool.h>
#include <stddef.h>

/* Puts the calling thread into the C locale; returns the locale to give to text_leave. Other threads keep theirs. */
void *text_enter(void);
void  text_leave(void *before);

/* strtod in the C locale. */
double text_number(const char *text, char **end);

/* Reads "1048576", "512M", "1.5G": at least 1 byte. False: the text is no such size. */
bool text_bytes(const char *text, size_t *bytes);

/* snprintf of one number in the C locale. */
int text_print(char *to, size_t size, const char *format, double x);

/* True if the character is an ASCII letter or digit. */
bool text_is_alnum(char c);

#endif
