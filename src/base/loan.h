#ifndef LT_BASE_LOAN_H
#define LT_BASE_LOAN_H

/* A loan is memory of the host program that tensors use without a copy. A loan ends when its last tensor is
** collected, or when the host takes the memory back. A loan has a number instead of an address, so that a host may name
** a loan that has ended. */

#include <stdatomic.h>

#include "base/storage.h"

enum loan_status {
  LOAN_OPEN, LOAN_ENDED,
  LOAN_ELSEWHERE,            /* another thread owns the loan */
  LOAN_BUSY                  /* another thread owns the loan and runs an operation of the loan's state */
};

/* Lends `bytes` bytes of host memory at ptr as a storage. `release`, which may be NULL, is called once, at the end of
** the loan. *running must be true while an operation of the borrowing state runs
** that began when loan_count was not 0. Fails with ERR_MEMORY. */
int loan_open(void *ptr, size_t bytes, void (*release)(void *context), void *context, const atomic_bool *running,
              storage **s, uint64_t *number);

/* The number of open loans. */
extern atomic_int loan_count;

/* Called before *running becomes invalid, because the state is being closed. */
void loan_forget(const atomic_bool *running);

/* Returns the status of the loan as the calling thread sees it: LOAN_ELSEWHERE if another thread owns the loan. */
enum loan_status loan_look(uint64_t number);

/* Makes the calling thread the loan's owner. Returns LOAN_OPEN, LOAN_ENDED or LOAN_BUSY. */
enum loan_status loan_claim(uint64_t number);

/* Ends the loan if loan_look would return LOAN_OPEN. Afterwards the storage of the loan has no memory, and
** storage_is_lost is true for it. No operation on the storage may be running. Returns the status of the loan before the
** call. */
enum loan_status loan_revoke(uint64_t number);

/* True if the storage is memory that the host may take back, so that its address must not be given to other
** libraries. */
bool storage_is_lent(const storage *s);

/* True if the host took this memory back. */
static inline bool storage_is_revoked(const storage *s) { return s->epoch == EPOCH_REVOKED; }

#endif
