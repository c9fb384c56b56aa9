/* Activations to 8 bits, as products want them, and what comes just before. */
#include "quantise.h"

static Block *blocks_at(const struct ggml_tensor *dst, int64_t column) {
  return (Block *)(void *)((char *)dst->data + column * (int64_t)dst->nb[1]);
}

/* ggml op: src[0] F32 [k, n] → I8 [bytes of k/32 blocks, n]. */
void unmask_quantise(struct ggml_tensor *dst, int ith, int nth, void *userdata) {
  (void)userdata;
  const struct ggml_tensor *x = dst->src[0];
  const int64_t n = x->ne[1], blocks = x->ne[0] / BLOCK;
  for (int64_t at = blocks * n * ith / nth; at < blocks * n * (ith + 1) / nth; at++) {
    const int64_t column = at / blocks, b = at % blocks;
    quantise_block(row_of(x, column) + b * BLOCK, blocks_at(dst, column) + b);
  }
}

/* ggml op: src[0] F32 [k, n], src[1] F32 [k] → as unmask_quantise of x / √(mean(x²) + ε) · src[1]. userdata: the bits of ε. */
void unmask_norm_quantise(struct ggml_tensor *dst, int ith, int nth, void *userdata) {
  const struct ggml_tensor *x = dst->src[0];
  const float *weights = dst->src[1]->data;
  const int64_t k = x->ne[0], n = x->ne[1];
  const float epsilon = float_of((uint32_t)(uintptr_t)userdata);
  for (int64_t column = ith; column < n; column += nth) {
    const float *from = row_of(x, column);
    Block *to = blocks_at(dst, column);
    const floats scale = allf(norm_scale(from, k, epsilon));
    for (int64_t at = 0; at < k; at += BLOCK) {
      float normed[BLOCK];
      for (int i = 0; i < BLOCK; i += LANES) store(normed + i, times(times(loadf(from + at + i), scale), loadf(weights + at + i)));
      quantise_block(normed, to + at / BLOCK);
    }
  }
}

/* ggml op: src[0] F32 [2 k, n] → as unmask_quantise of silu(first half) · second half of each column. */
void unmask_swiglu_quantise(struct ggml_tensor *dst, int ith, int nth, void *userdata) {
  (void)userdata;
  const struct ggml_tensor *x = dst->src[0];
  const int64_t k = x->ne[0] / 2, n = x->ne[1], blocks = k / BLOCK;
  for (int64_t at = blocks * n * ith / nth; at < blocks * n * (ith + 1) / nth; at++) {
    const int64_t column = at / blocks, b = at % blocks;
    const float *gate = row_of(x, column) + b * BLOCK, *up = gate + k;
    float out[BLOCK];
    for (int i = 0; i < BLOCK; i += LANES) store(out + i, times(silu(loadf(gate + i)), loadf(up + i)));
    quantise_block(out, blocks_at(dst, column) + b);
  }
}
