/* 32 activations to 8 bits, as products want them. */
#pragma once
#include "packed.h"

enum { PARTS = BLOCK / LANES };

/* 32 floats to 8 bits: q = x / d, d = max|x| / 127. What is no number makes d no number, so that nobody takes it for one. */
static inline void quantise_block(const float *from, Block *to) {
  floats x[PARTS], top = zero(), wrong = zero();
  for (int i = 0; i < PARTS; i++) {
    x[i] = loadf(from + i * LANES);
    top = larger(absolute(x[i]), top);
    wrong = plus(wrong, minus(x[i], x[i]));
  }
  const float most = largest_of(top);
  const floats factor = allf(most > 0 ? 127.0f / most : 0.0f);
  int32_t totals[2] = {0, 0};
  for (int i = 0; i < PARTS; i++) {
    /* 127/most may round up: 127.5 must not become 128. */
    const ints q = within(to_ints(times(x[i], factor)), -127, 127);
    store_bytes(to->q + i * LANES, q);
    totals[2 * i / PARTS] += total_of(q);
  }
  const int32_t total = totals[0] + totals[1];
  to->d = most / 127.0f + sum_of(wrong);
  to->d_sum = to->d * (float)total;
  to->less8 = -8 * total;
  to->less128 = -128 * total;
  to->less32[0] = -32 * totals[0];
  to->less32[1] = -32 * totals[1];
}
