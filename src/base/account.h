#ifndef LT_BASE_ACCOUNT_H
#define LT_BASE_ACCOUNT_H

/* The memory that the tensors of one Lua state occupy on one device, without the scratch memory of operations. Only
** the state's own thread uses these fields, except for `returned` and `returned_count`, to which other threads
** add. */

#include "base/storage.h"

typedef struct account {
  place  where;
  size_t charged;                       /* bytes of charged storages, less those that the state itself has freed */
  size_t peak, limit;                   /* bytes; peak: the maximum of account_live() so far; limit: the state's
                                        ** limit, or 0 if there is no limit */
  long   count;                         /* number of charged storages, less the storages that the state itself has
                                        ** freed */
  atomic_size_t returned;               /* the charged storages that other threads, such as DLPack consumers, have
                                        ** freed: their bytes, and in returned_count their number */
  atomic_long   returned_count;
  size_t step_at, collect_at, settled;  /* live bytes that decide when garbage is collected: see lua/collect.c */
  bool   stepped;                       /* a step of the collector was made for the next allocation */
  size_t slack;                         /* on a GPU: the least growth of live bytes between two full collections; 0: not
                                        ** known yet */
  struct account *next;
} account;

/* Makes an account for the tensors of a state on device `where`. Returns NULL if memory is exhausted. */
account *account_open(place where);

/* Called when the Lua state is closed. Frees the account if no storage is charged to the account any more. Otherwise
** a later account_open or account_close frees the account, after other libraries have released its last storage. */
void account_close(account *a);

/* Charges the storage to the account until the storage is freed. */
void account_charge(account *a, storage *s);

static inline size_t account_live(const account *a) {
  return a->charged - atomic_load_explicit(&a->returned, memory_order_relaxed);
}

/* True if `bytes` more bytes would not exceed the state's limit. */
static inline bool account_allows(const account *a, size_t bytes) {
  return !a->limit || (bytes <= a->limit && account_live(a) <= a->limit - bytes);
}

#endif
