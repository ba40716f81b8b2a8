#ifndef LT_PJRT_DEVICE_H
#define LT_PJRT_DEVICE_H

/* The kinds of devices that plugins of PJRT add. Variables LUATENSOR_PJRT_<NAME>=<file of the plugin>, and packages of
** Python's active virtual environment, add kinds. */

/* Adds the kinds at the first call. */
void pjrt_add_kinds(void);

#endif
