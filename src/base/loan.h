#ifndef LT_BASE_LOAN_H
#define LT_BASE_LOAN_H

/* A loan is memory of the host program on which tensors work without a copy. A loan ends when its last tensor is
** collected, or when the host takes the memory back. A loan has a number instead of an address, so that a host may name
** a loan that has ended. */

#include "base/storage.h"

enum loan_status { LOAN_OPEN, LOAN_ENDED, LOAN_ELSEWHERE };      /* LOAN_ELSEWHERE: another thread is its owner */

/* Wraps the host's memory. `release`, which may be NULL, is called once, at the end of the loan. Fails with
** ERR_MEMORY. */
int loan_open(void *ptr, size_t bytes, void (*release)(void *context), void *context, storage **s, uint64_t *number);

/* Returns the status of the loan for the calling thread. */
enum loan_status loan_look(uint64_t number);

/* Makes the calling thread the loan's owner. */
enum loan_status loan_claim(uint64_t number);

/* Ends an open loan. Its storage has no memory any more and counts as lost. No operation on the storage
** may be running. */
enum loan_status loan_revoke(uint64_t number);

/* True if the host may take this memory back. The address must then not be given to other libraries. */
bool storage_is_lent(const storage *s);

enum { EPOCH_REVOKED = 0x7fffffff };       /* no device is reopened this many times */

/* True if the host took this memory back. */
static inline bool storage_is_revoked(const storage *s) { return s->epoch == EPOCH_REVOKED; }

#endif
