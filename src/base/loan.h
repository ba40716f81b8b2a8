#ifndef LT_BASE_LOAN_H
#define LT_BASE_LOAN_H

/* Loans: memory of the host on which tensors work without a copy, until the last of them ends or the host takes the memory
** back. A loan has a number instead of an address, so that a host may name one that has ended. */

#include "base/storage.h"

enum loan_status { LOAN_OPEN, LOAN_ENDED, LOAN_ELSEWHERE };      /* elsewhere: it belongs to another thread */

/* Wraps the host's memory. `release`, which may be NULL, is called once, at the end of the loan. ERR_MEMORY. */
int loan_open(void *ptr, size_t bytes, void (*release)(void *context), void *context, storage **s, uint64_t *number);

/* The status for the calling thread. */
enum loan_status loan_look(uint64_t number);

/* The calling thread becomes the owner. */
enum loan_status loan_claim(uint64_t number);

/* Ends an open loan: its storage has no memory any more and counts as lost. No operation on it may be running. */
enum loan_status loan_revoke(uint64_t number);

/* True if the host may take this memory back, so that nobody else may be told its address. */
bool storage_is_lent(const storage *s);

/* True if the host took this memory back. */
enum { EPOCH_REVOKED = 0x7fffffff };       /* no device is reopened as often */
static inline bool storage_is_revoked(const storage *s) { return s->epoch == EPOCH_REVOKED; }

#endif
