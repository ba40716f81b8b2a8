#include "base/loan.h"

#include <stdlib.h>

#include "base/lock.h"

typedef struct loan {
  uint64_t    number;
  const void *thread;                      /* the address of the owner thread's variable `here` */
  storage    *store;
  const atomic_bool *running;              /* the borrowing state's flag, or NULL if this state is closed */
  void      (*release)(void *context);
  void       *context;
  struct loan *next, *prev;
} loan;

static loan *first;                        /* the open loans, the newest first, because hosts mostly revoke recent
                                           ** loans */
atomic_int loan_count;
static uint64_t numbers;                   /* the number of loans made so far */

static _Thread_local char here;            /* the address of `here` identifies the thread */

/* Returns the open loan with this number, or NULL if the loan has ended. The caller holds LOCK_LOANS. */
static loan *find(uint64_t number) {
  loan *l = first;
  while (l && l->number != number) l = l->next;
  return l;
}

static void add(loan *l) {
  lock_take(LOCK_LOANS);
  l->number = ++numbers;
  l->next = first;
  if (first) first->prev = l;
  first = l;
  atomic_fetch_add_explicit(&loan_count, 1, memory_order_relaxed);
  lock_release(LOCK_LOANS);
}

/* Removes the loan from the list. The caller holds LOCK_LOANS. */
static void take_out(loan *l) {
  atomic_fetch_sub_explicit(&loan_count, 1, memory_order_relaxed);
  if (l->prev) l->prev->next = l->next; else first = l->next;
  if (l->next) l->next->prev = l->prev;
}

/* Calls the host's release function, and frees the loan. */
static void finish(loan *l) {
  if (l->release) l->release(l->context);
  free(l);
}

/* Ends the loan of a storage that is being freed. If the loan was revoked, the storage has no loan any more. */
static void end_lent(storage *s) {
  loan *l = s->owner;
  if (!l) return;
  lock_take(LOCK_LOANS);
  take_out(l);
  lock_release(LOCK_LOANS);
  finish(l);
}

int loan_open(void *ptr, size_t bytes, void (*release)(void *context), void *context, const atomic_bool *running,
              storage **s, uint64_t *number) {
  loan *l = malloc(sizeof *l);
  if (!l) return ERR_MEMORY;
  int st = storage_wrap(host_place(), ptr, bytes, end_lent, l, s);
  if (st != OK) {
    free(l);
    return st;
  }
  *l = (loan){.thread = &here, .store = *s, .running = running, .release = release, .context = context};
  add(l);
  *number = l->number;
  return OK;
}

static enum loan_status status_of(const loan *l) {
  return !l ? LOAN_ENDED : l->thread == &here ? LOAN_OPEN : LOAN_ELSEWHERE;
}

enum loan_status loan_look(uint64_t number) {
  lock_take(LOCK_LOANS);
  enum loan_status status = status_of(find(number));
  lock_release(LOCK_LOANS);
  return status;
}

enum loan_status loan_claim(uint64_t number) {
  lock_take(LOCK_LOANS);
  loan *l = find(number);
  enum loan_status status = status_of(l);
  bool busy = status == LOAN_ELSEWHERE && l->running && atomic_load_explicit(l->running, memory_order_acquire);
  if (l && !busy) l->thread = &here;
  lock_release(LOCK_LOANS);
  return busy ? LOAN_BUSY : l ? LOAN_OPEN : LOAN_ENDED;
}

void loan_forget(const atomic_bool *running) {
  lock_take(LOCK_LOANS);
  for (loan *l = first; l; l = l->next)
    if (l->running == running) l->running = NULL;
  lock_release(LOCK_LOANS);
}

/* Increases the storage's version, so that backward raises an error if a gradient needs the elements. */
enum loan_status loan_revoke(uint64_t number) {
  lock_take(LOCK_LOANS);
  loan *l = find(number);
  enum loan_status status = status_of(l);
  if (status == LOAN_OPEN) {
    storage *s = l->store;
    s->ptr = s->owner = NULL;
    s->epoch = EPOCH_REVOKED;
    s->version++;
    take_out(l);
  }
  lock_release(LOCK_LOANS);
  if (status == LOAN_OPEN) finish(l);
  return status;
}

bool storage_is_lent(const storage *s) { return s->release == end_lent; }
