#ifndef LT_BASE_ACCOUNT_H
#define LT_BASE_ACCOUNT_H

/* The memory that the tensors of one Lua state hold on one device; scratch memory of operations does not count. Only
** the state itself uses these fields, except for `returned` and `returned_count`, to which other threads add. */

#include "base/storage.h"

typedef struct account {
  place  where;
  size_t charged;                       /* bytes of charged storages, less those that the state itself has freed */
  size_t peak, limit;                   /* peak: the most live bytes so far; limit: the state's limit, 0: none */
  long   count;                         /* number of storages, counted like `charged` */
  atomic_size_t returned;               /* bytes and storages that other threads, such as DLPack consumers, have
                                        ** freed */
  atomic_long   returned_count;
  size_t step_at, collect_at, settled;  /* live bytes at which garbage is collected: lua/collect.c */
  struct account *next;
} account;

/* Makes an account; NULL: no memory. */
account *account_open(place where);

/* Called when the state is closed. The account is freed with the last storage that is charged to the account, which
** another library may still hold. */
void account_close(account *a);

/* Charges the storage to the account until the storage ends. */
void account_charge(account *a, storage *s);

static inline size_t account_live(const account *a) {
  return a->charged - atomic_load_explicit(&a->returned, memory_order_relaxed);
}

#endif
