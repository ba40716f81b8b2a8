#ifndef LT_BASE_ACCOUNT_H
#define LT_BASE_ACCOUNT_H

/* The memory that one Lua state holds on one device: its tensors, without the scratch memory of operations. Only the
** state itself uses these fields, except those that other threads return to. */

#include "base/storage.h"

typedef struct account {
  place  where;
  size_t charged;                       /* bytes of charged storages, less those that the state itself has freed */
  size_t peak, limit;                   /* the most live bytes so far; the state's limit, 0: none */
  long   count;                         /* number of storages, counted like `charged` */
  atomic_size_t returned;               /* bytes and storages that other threads have freed: consumers of DLPack */
  atomic_long   returned_count;
  size_t step_at, collect_at, settled;  /* live bytes at which garbage is collected: lua/collect.c */
  struct account *next;
} account;

/* Makes an account; NULL: no memory. */
account *account_open(place where);

/* Called when the state is closed. The account ends with the last storage that is charged to it, which another library
** may still hold. */
void account_close(account *a);

/* Charges the storage to the account until the storage ends. */
void account_charge(account *a, storage *s);

static inline size_t account_live(const account *a) {
  return a->charged - atomic_load_explicit(&a->returned, memory_order_relaxed);
}

#endif
