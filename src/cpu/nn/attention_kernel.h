#ifndef LT_CPU_NN_ATTENTION_KERNEL_H
#define LT_CPU_NN_ATTENTION_KERNEL_H

/* The kernels `weights` and `back` of attention compute whole vectors. Therefore they write up to ATTENTION_ROOM - 1
** elements behind the end of a row of scores or of gradients. */
enum { ATTENTION_ROOM = 16 };

#endif
