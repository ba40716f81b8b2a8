#ifndef LT_BASE_ACCOUNT_H
#define LT_BASE_ACCOUNT_H

/* The memory that one Lua state holds on one device: its tensors, not the scratch memory of operations. Everything here is
** the state's alone, but for what other threads return. */

#include "base/storage.h"

typedef struct account {
  place  where;
  size_t charged;                       /* bytes of storages that are charged to it, less what its own state ended */
  size_t peak, limit;                   /* the most live bytes so far; as many as the state may have, 0: no limit */
  long   count;                         /* storages, as `charged` */
  atomic_size_t returned;               /* bytes and storages that other threads ended: DLPack's consumers */
  atomic_long   returned_count;
  size_t step_at, collect_at, settled;  /* live bytes from which garbage is collected: lua/collect.c */
  struct account *next;
} account;

/* A new account; NULL: no memory. */
account *account_open(place where);

/* Its state is closed. It ends with the last storage that is charged to it, which another library may still hold. */
void account_close(account *a);

/* The storage is charged to the account until it ends. */
void account_charge(account *a, storage *s);

static inline size_t account_live(const account *a) {
  return a->charged - atomic_load_explicit(&a->returned, memory_order_relaxed);
}

#endif
