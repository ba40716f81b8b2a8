#include "base/account.h"

#include <stdlib.h>

/* The accounts of closed Lua states whose storages other libraries still use. The list has no lock, because a fork
** could leave a lock taken. Instead end_orphans takes the whole list by an atomic exchange and adds items back one by
** one. */
static _Atomic(account *) orphans;

/* True if no storage is charged to the account any more. Another thread that frees a storage increases returned_count
** after its last access to the account, so an empty account can be freed. */
static bool is_empty(account *a) {
  return a->count == atomic_load_explicit(&a->returned_count, memory_order_acquire);
}

static void add_orphan(account *a) {
  a->next = atomic_load(&orphans);
  while (!atomic_compare_exchange_weak(&orphans, &a->next, a)) {}
}

static void end_orphans(void) {
  account *a = atomic_load_explicit(&orphans, memory_order_relaxed) ? atomic_exchange(&orphans, NULL) : NULL;
  while (a) {
    account *next = a->next;
    if (is_empty(a)) free(a);
    else add_orphan(a);
    a = next;
  }
}

account *account_open(place where) {
  end_orphans();
  account *a = calloc(1, sizeof *a);
  if (a) a->where = where;
  return a;
}

void account_close(account *a) {
  if (is_empty(a)) free(a);
  else add_orphan(a);
  end_orphans();
}

void account_charge(account *a, storage *s) {
  s->account = a;
  a->charged += s->bytes;
  a->count++;
  if (account_live(a) > a->peak) a->peak = account_live(a);
}
