/*
 * How weights and activations lie in memory for products.
 *
 * Weights are re-packed once, when they are loaded, into panels of ROWS rows, which hold one block of 32 numbers of each row after
 * the other: a product reads them from the first byte to the last. A block, and what stands before every eighth:
 *
 *          numbers                      scales                     before 8 blocks
 *   Q4_0   16·R nibbles                 R halves d                                     w = d (q - 8)
 *   Q4_1   16·R nibbles                 R halves d, R halves m                         w = d q + m
 *   Q8_0   32·R bytes                   R halves d                                     w = d q
 *   Q4_K   16·R nibbles                 R bytes s, R bytes t       R halves d, e       w = d s q - e t
 *   Q6_K   16·R nibbles, 8·R of pairs   2·R bytes s                R halves d          w = d s (q - 32), a scale for 16 numbers
 *
 * Numbers are in groups of four: byte i of row r of group g is number 4 g + i; the upper nibbles are those of group g + 4, the pairs
 * of bits above nibbles those of groups g, g + 2, g + 4 and g + 6.
 */
#pragma once
#include "vectors.h"

enum { Q4_0 = 2, Q4_1 = 3, Q8_0 = 8, Q4_K = 12, Q6_K = 14 }; /* ggml's own numbers */
/* A vector lane is a row; ROWS of them are as many as the registers can sum for several columns. */
enum { VECTORS = LANES == 16 ? 2 : 1, ROWS = VECTORS * LANES };
enum { BLOCK = 32, SUPER = 8, LINE = 64 };

INLINE size_t numbers_bytes(int kind) { return (kind == Q8_0 ? 32 : kind == Q6_K ? 24 : 16) * ROWS; }
INLINE size_t block_bytes(int kind) { return numbers_bytes(kind) + (kind == Q4_1 ? 4 : 2) * ROWS; }
INLINE size_t shared_bytes(int kind) { return (kind == Q4_K ? 4 : kind == Q6_K ? 2 : 0) * ROWS; }

/* Bytes of a panel's first `blocks` blocks: where the next one begins, or what stands before it. */
INLINE size_t panel_bytes(int kind, int64_t blocks) {
  return block_bytes(kind) * (size_t)blocks + shared_bytes(kind) * (size_t)((blocks + SUPER - 1) / SUPER);
}

INLINE size_t block_at(int kind, int64_t block) {
  return block_bytes(kind) * (size_t)block + shared_bytes(kind) * (size_t)(block / SUPER + 1);
}

INLINE size_t shared_at(int kind, int64_t block) {
  return (block_bytes(kind) * SUPER + shared_bytes(kind)) * (size_t)(block / SUPER);
}

/* Where panels begin in memory that was given for them, a line more than they need: their vectors must not lie across lines. */
static inline const uint8_t *first_panel(const void *given) { return (const uint8_t *)(((uintptr_t)given + LINE - 1) / LINE * LINE); }

/* 32 activations in 8 bits, x = d q, and what products take back for weights that are stored without their sign. */
typedef struct {
  int8_t q[BLOCK];
  float d, d_sum;           /* d_sum = d Σq */
  int32_t less8, less128;   /* -8 Σq, -128 Σq */
  int32_t less32[2];        /* -32 Σq, of each half */
} Block;
