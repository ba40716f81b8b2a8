/* Conversions between elements and keys. sort.c includes this file once for each width. BITS is the width of an
** element, U the unsigned type of this width, and KEY the signed type that is sorted. The arguments key_of, unkey and
** merged are functions of a dtype: key_of and merged convert an element to a key, and unkey converts back. merged
** gives -0 and +0 the same key. */

#define NAME(name) ISA_PASTE(name, BITS)

/* Keys are signed, because SIMD instruction sets compare signed integers with one instruction. Keys of elements below
** 32 bits are not negative. */
INLINE void NAME(make_keys)(U key_of(U), int64_t n, const void *x, bool descending, void *keys) {
  const U flip = descending ? (U)-1 : 0, sign = BITS < 32 ? 0 : (U)1 << (BITS - 1);
  for (int64_t i = 0; i < n; i++)
    ((KEY *)keys)[i] = (KEY)((U)(key_of(((const U *)x)[i]) ^ flip) ^ sign);
}

INLINE void NAME(unmake_keys)(U unkey(U), int64_t n, const void *keys, bool descending, void *x) {
  const U flip = descending ? (U)-1 : 0, sign = BITS < 32 ? 0 : (U)1 << (BITS - 1);
  for (int64_t i = 0; i < n; i++)
    ((U *)x)[i] = unkey((U)((U)((const KEY *)keys)[i] ^ sign ^ flip));
}

INLINE void NAME(find_range)(U merged(U), int64_t n, const void *x, bool descending, uint64_t range[2]) {
  U flip = descending ? (U)-1 : 0, least = (U)-1, most = 0;
  for (int64_t i = 0; i < n; i++) {
    U key = (U)(merged(((const U *)x)[i]) ^ flip);
    least = key < least ? key : least;
    most = key > most ? key : most;
  }
  range[0] = least;
  range[1] = most;
}

INLINE uint64_t NAME(shifted)(U merged(U), U b, const packing *p) {
  U flip = p->descending ? (U)-1 : 0;
  return ((uint64_t)(U)(merged(b) ^ flip) - p->base) << p->shift;
}

INLINE void NAME(pack)(U merged(U), int64_t n, const void *x, int64_t first, const packing *p, int64_t *out) {
  packing by = *p;
  uint64_t mask = ((uint64_t)1 << by.bits) - 1;
  for (int64_t i = 0; i < n; i++)
    out[i] = (int64_t)(((NAME(shifted)(merged, ((const U *)x)[i], &by) & ~mask) | (uint64_t)(first + i)) ^ (uint64_t)1 << 63);
}

INLINE void NAME(repack)(U merged(U), int64_t n, const void *x, const packing *p, int64_t *out) {
  packing by = *p;
  uint64_t mask = ((uint64_t)1 << by.bits) - 1;
  for (int64_t i = 0; i < n; i++) {
    uint64_t at = (uint64_t)out[i] & mask;
    out[i] = (int64_t)((NAME(shifted)(merged, ((const U *)x)[at], &by) & mask) << by.bits | at);
  }
}

INLINE int64_t NAME(filter)(U merged(U), int64_t n, const void *x, int64_t limit, bool descending, int64_t *out) {
  U flip = descending ? (U)-1 : 0, most = (U)(merged(((const U *)x)[limit]) ^ flip);
  int64_t count = 0;
  for (int64_t begin = 0; begin < n; begin += LOOK) {
    const U *block = (const U *)x + begin;
    int64_t length = n - begin < LOOK ? n - begin : LOOK;
    U any = 0;
    for (int64_t i = 0; i < length; i++) any |= (U)(merged(block[i]) ^ flip) <= most;
    if (!any) continue;
    for (int64_t i = 0; i < length; i++) {
      out[count] = begin + i;
      count += (U)(merged(block[i]) ^ flip) <= most;
    }
  }
  return count;
}

/* Inserts a key behind all keys that are not greater, among the first `count` keys; the last of these keys is dropped. */
INLINE void NAME(insert)(U key, int64_t place, int64_t count, U *keys, int64_t *places) {
  int64_t k = count - 1;
  for (; k > 0 && keys[k - 1] > key; k--) {
    keys[k] = keys[k - 1];
    places[k] = places[k - 1];
  }
  keys[k] = key;
  places[k] = place;
}

INLINE void NAME(first_keys)(U merged(U), int64_t n, const U *x, U flip, U *keys) {
  for (int64_t k = 0; k < n; k++) keys[k] = (U)(merged(x[k]) ^ flip);
}

INLINE bool NAME(firsts)(U merged(U), int64_t n, const void *x, int64_t first, bool descending, int64_t most, sort_firsts *f) {
  const U flip = descending ? (U)-1 : 0;
  const U *e = x;
  U best[FIRSTS_MOST], keys[LOOK];
  int64_t places[FIRSTS_MOST], count = f->count, inserted = f->inserted, i = 0;
  for (int64_t k = 0; first > 0 && k < count; k++) {
    best[k] = (U)f->key[k];
    places[k] = f->place[k];
  }
  for (; first == 0 && i < count; i++) NAME(insert)((U)(merged(e[i]) ^ flip), i, i + 1, best, places);
  for (int64_t end; i < n && inserted < most; i = end) {
    end = n - i < LOOK ? n : i + LOOK;
    U last = best[count - 1], any = 0;
    NAME(first_keys)(merged, end - i, e + i, flip, keys);
    for (int64_t k = 0; k < end - i; k++) any |= keys[k] < last;
    for (int64_t k = 0; any && k < end - i; k++) {
      if (keys[k] >= best[count - 1]) continue;
      NAME(insert)(keys[k], first + i + k, count, best, places);
      inserted++;
    }
  }
  for (int64_t k = 0; k < count; k++) {
    f->key[k] = best[k];
    f->place[k] = places[k];
  }
  f->inserted = inserted;
  return i == n;
}

/* Copies the first m elements of x whose merged key is `key` to out, in their order. */
INLINE void NAME(gather)(U merged(U), const U *x, U key, int64_t m, U *out) {
  for (int64_t i = 0, k = 0; k < m; i++)
    if (merged(x[i]) == key) out[k++] = x[i];
}

INLINE int64_t NAME(before)(U merged(U), const U *out, int64_t n, U key, U flip) {
  int64_t first = 0;
  for (int64_t left = n; left > 0;) {
    int64_t half = left / 2;
    bool less = (U)(merged(out[first + half]) ^ flip) < (U)(key ^ flip);
    first += less ? half + 1 : 0;
    left = less ? left - half - 1 : half;
  }
  return first;
}

INLINE bool NAME(special)(U key_of(U), int64_t n, const void *x) {
  const U minus_zero = (U)((U)1 << (BITS - 1));
  for (int64_t begin = 0; begin < n; begin += MANY) {
    int64_t end = begin + MANY < n ? begin + MANY : n;
    U any = 0;
    for (int64_t i = begin; i < end; i++) {
      U b = ((const U *)x)[i];
      any |= (b == minus_zero) | (key_of(b) == (U)-1);
    }
    if (any) return true;
  }
  return false;
}

INLINE void NAME(mend)(U merged(U), int64_t n, const void *x, bool descending, void *out) {
  U flip = descending ? (U)-1 : 0, nan = (U)-1, zero = merged(0), *o = out;
  int64_t first = NAME(before)(merged, o, n, zero, flip);
  int64_t end = descending ? NAME(before)(merged, o, n, (U)(zero - 1), flip) : NAME(before)(merged, o, n, (U)(zero + 1), flip);
  if (first < end && o[first] != o[end - 1]) NAME(gather)(merged, x, zero, end - first, o + first);
  first = descending ? 0 : NAME(before)(merged, o, n, nan, flip);
  end = descending ? NAME(before)(merged, o, n, (U)(nan - 1), flip) : n;
  if (first < end) NAME(gather)(merged, x, nan, end - first, o + first);
}

#undef NAME
#undef BITS
#undef U
#undef KEY
