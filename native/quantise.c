/* Activations to 8 bits, as products want them. */
#include "packed.h"

enum { PARTS = BLOCK / LANES };

/* 32 floats to 8 bits: q = x / d, d = max|x| / 127. What is no number makes d no number, so that nobody takes it for one. */
static void quantise_block(const float *from, Block *to) {
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

/* ggml op: src[0] F32 [k, n] without gaps → I8 [bytes of k/32 blocks, n]. */
void unmask_quantise(struct ggml_tensor *dst, int ith, int nth, void *userdata) {
  (void)userdata;
  const struct ggml_tensor *x = dst->src[0];
  const int64_t n = x->ne[1], blocks = x->ne[0] / BLOCK;
  for (int64_t column = ith; column < n; column += nth) {
    const float *from = (const float *)(const void *)((const char *)x->data + column * x->nb[1]);
    Block *to = (Block *)(void *)((char *)dst->data + column * dst->nb[1]);
    for (int64_t b = 0; b < blocks; b++) quantise_block(from + b * BLOCK, to + b);
  }
}
