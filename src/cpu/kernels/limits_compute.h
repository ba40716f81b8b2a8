/* Computes `rounds` multiply-adds in each lane of each chain, for elements of TYPE. Returns the sum of all chains, so
** that the compiler cannot remove the computation. Every chain converges to 0.4. No chain starts at 0.4, because the
** compiler would treat this chain as a constant. limits.c includes this file once for each type. */

#define NAME(name) ISA_PASTE(name, TYPE)

typedef TYPE NAME(vector) __attribute__((vector_size(BYTES)));
static double NAME(compute)(int64_t rounds) {
  NAME(vector) chain[CHAINS], zero = {0}, x = zero + (TYPE)0.999999, y = zero + (TYPE)0.4e-6;
  for (int c = 0; c < CHAINS; c++) chain[c] = zero + (TYPE)(c + 1);
  for (int64_t r = 0; r < rounds; r++)
    for (int c = 0; c < CHAINS; c++) chain[c] = chain[c] * x + y;
  NAME(vector) sum = chain[0];
  for (int c = 1; c < CHAINS; c++) sum += chain[c];
  double total = 0;
  for (size_t i = 0; i < BYTES / sizeof(TYPE); i++) total += (double)sum[i];
  return total;
}

#undef NAME
#undef TYPE
