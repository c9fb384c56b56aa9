/*
 * Products of 4- and 8-bit weights with a few columns of activations, as ops inside a ggml graph.
 *
 * A denoising step multiplies every weight matrix by 1 to some dozens of columns. Weights are re-packed once, when they are
 * loaded, into panels of ROWS rows: a vector lane is a row, and each dot-product instruction meets four consecutive numbers
 * of every row of the panel with four broadcast activations. Activations are rounded to 8 bits in blocks of 32, each
 * with its own scale; sums inside a block are exact integers. A column goes through the same instructions in the
 * same order whatever stands beside it, so its bits depend on nothing else, nor on the number of threads.
 *
 * One panel-block (ROWS rows, 32 numbers each), by kind:
 *   Q4_0: 16·ROWS bytes of nibbles, ROWS half-precision scales            w = d (q - 8)
 *   Q4_1: the same, then ROWS half-precision minima                       w = d q + m
 *   Q8_0: 32·ROWS bytes, ROWS half-precision scales                       w = d q
 * A column of k activations: k bytes, then k/32 floats d, then k/32 int32 sums of the block's bytes.
 */
#include "vectors.h"

enum { Q4_0 = 2, Q4_1 = 3, Q8_0 = 8 }; /* ggml's own numbers */
enum { BLOCK = 32 };
/* Rows of a panel, and columns of the widest tile: as many sums as there are registers for. */
enum { ROWS = LANES, TILE = LANES == 16 ? 12 : 4 };

const char *unmask_isa(void) { return ISA; }

/* Bytes of a panel-block; 0 for a kind that is not known. */
static size_t panel_block(int kind) {
  if (kind == Q4_0) return 16 * ROWS + 2 * ROWS;
  if (kind == Q4_1) return 16 * ROWS + 4 * ROWS;
  if (kind == Q8_0) return 32 * ROWS + 2 * ROWS;
  return 0;
}

/* Bytes of a packed matrix of m rows of k numbers; 0 where it cannot be packed. */
size_t unmask_packed_bytes(int kind, int64_t k, int64_t m) {
  if (k <= 0 || m <= 0 || k % BLOCK != 0 || m % ROWS != 0) return 0;
  return panel_block(kind) * (size_t)(k / BLOCK) * (size_t)(m / ROWS);
}

/* Bytes of a block of 32 in a file. */
static size_t file_block(int kind) { return kind == Q4_0 ? 18 : kind == Q4_1 ? 20 : 34; }

/* The 32 numbers of a file's block as bytes: 0 to 15, or 8-bit weights in the form that dot4 wants. */
static void unpack(int kind, const uint8_t *block, uint8_t *bytes) {
  if (kind == Q8_0) {
    for (int i = 0; i < BLOCK; i++) bytes[i] = (uint8_t)((int8_t)block[2 + i] + EIGHT_OFFSET);
    return;
  }
  const uint8_t *nibbles = block + (kind == Q4_1 ? 4 : 2);
  for (int i = 0; i < 16; i++) {
    bytes[i] = nibbles[i] & 15;
    bytes[16 + i] = nibbles[i] >> 4;
  }
}

/* Rows of a file (each k/32 blocks) into panels. 1, or 0 where it cannot be packed. */
int unmask_pack(int kind, int64_t k, int64_t m, const uint8_t *file, uint8_t *packed) {
  if (unmask_packed_bytes(kind, k, m) == 0) return 0;
  const int64_t blocks = k / BLOCK;
  const size_t size = file_block(kind), step = panel_block(kind);
  for (int64_t panel = 0; panel < m / ROWS; panel++) {
    for (int64_t b = 0; b < blocks; b++, packed += step) {
      const size_t numbers = kind == Q8_0 ? 32 * ROWS : 16 * ROWS;
      for (int r = 0; r < ROWS; r++) {
        const uint8_t *block = file + ((size_t)(panel * ROWS + r) * blocks + b) * size;
        uint8_t bytes[BLOCK];
        unpack(kind, block, bytes);
        for (int g = 0; g < 8; g++) {
          for (int i = 0; i < 4; i++) {
            uint8_t q = bytes[4 * g + i];
            if (kind == Q8_0) packed[(g * ROWS + r) * 4 + i] = q;
            else if (g < 4) packed[(g * ROWS + r) * 4 + i] = q;
            else packed[((g - 4) * ROWS + r) * 4 + i] |= (uint8_t)(q << 4);
          }
        }
        memcpy(packed + numbers + 2 * r, block, 2);
        if (kind == Q4_1) memcpy(packed + numbers + 2 * ROWS + 2 * r, block + 2, 2);
      }
    }
  }
  return 1;
}

/* 32 floats to 8 bits: q = x / d, d = max|x| / 127. What is no number makes d no number, so that nobody takes it for one. */
static void quantise_block(const float *x, int8_t *q, float *d, int32_t *sum) {
  const __m256 sign = _mm256_set1_ps(-0.0f);
  __m256 v[4], top = _mm256_setzero_ps(), bad = _mm256_setzero_ps();
  for (int i = 0; i < 4; i++) {
    v[i] = _mm256_loadu_ps(x + 8 * i);
    top = _mm256_max_ps(top, _mm256_andnot_ps(sign, v[i]));
    bad = _mm256_add_ps(bad, _mm256_sub_ps(v[i], v[i]));
  }
  float tops[8], bads[8];
  _mm256_storeu_ps(tops, top);
  _mm256_storeu_ps(bads, bad);
  float most = 0, wrong = 0;
  for (int i = 0; i < 8; i++) {
    most = tops[i] > most ? tops[i] : most;
    wrong += bads[i];
  }
  const __m256 factor = _mm256_set1_ps(most > 0 ? 127.0f / most : 0.0f);
  __m256i n[4], total = _mm256_setzero_si256();
  for (int i = 0; i < 4; i++) {
    n[i] = _mm256_cvtps_epi32(_mm256_mul_ps(v[i], factor));
    /* 127/most may round up: 127.5 must not become 128. */
    n[i] = _mm256_max_epi32(_mm256_min_epi32(n[i], _mm256_set1_epi32(127)), _mm256_set1_epi32(-127));
    total = _mm256_add_epi32(total, n[i]);
  }
  __m256i bytes = _mm256_packs_epi16(_mm256_packs_epi32(n[0], n[1]), _mm256_packs_epi32(n[2], n[3]));
  bytes = _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
  _mm256_storeu_si256((__m256i *)q, bytes);
  int32_t totals[8];
  _mm256_storeu_si256((__m256i *)totals, total);
  *sum = 0;
  for (int i = 0; i < 8; i++) *sum += totals[i];
  *d = most / 127.0f + wrong;
}

/* ggml op: src[0] F32 [k, n] without gaps → I8 [k + k/4, n]. */
void unmask_quantise(struct ggml_tensor *dst, int ith, int nth, void *userdata) {
  (void)userdata;
  const struct ggml_tensor *x = dst->src[0];
  const int64_t k = x->ne[0], n = x->ne[1], blocks = k / BLOCK;
  for (int64_t column = ith; column < n; column += nth) {
    const float *from = (const float *)((const char *)x->data + column * x->nb[1]);
    int8_t *q = (int8_t *)dst->data + column * dst->nb[1];
    float *d = (float *)(q + k);
    int32_t *sums = (int32_t *)(d + blocks);
    for (int64_t b = 0; b < blocks; b++) quantise_block(from + b * BLOCK, q + b * BLOCK, d + b, sums + b);
  }
}

typedef struct {
  const int8_t *q;
  const float *d;
  const int32_t *sums;
  float *y;
} Column;

/* One panel by `count` columns. Inlined with constants for kind and count. */
static inline __attribute__((always_inline)) void tile(int kind, int count, const uint8_t *panel, int64_t blocks, const Column *columns, int64_t row) {
  floats sums[TILE];
  UNROLL for (int j = 0; j < count; j++) sums[j] = zero();
  for (int64_t b = 0; b < blocks; b++, panel += panel_block(kind)) {
    ints w[8];
    if (kind == Q8_0) {
      for (int g = 0; g < 8; g++) w[g] = load(panel + g * ROWS * 4);
    } else {
      for (int g = 0; g < 4; g++) {
        const ints both = load(panel + g * ROWS * 4);
        w[g] = low_nibbles(both);
        w[g + 4] = high_nibbles(both);
      }
    }
    const uint8_t *scales = panel + (kind == Q8_0 ? 32 : 16) * ROWS;
    const floats d = halves(scales);
    UNROLL
    for (int j = 0; j < count; j++) {
      const int8_t *q = columns[j].q + b * BLOCK;
      const int32_t total = columns[j].sums[b];
      const int32_t bias = kind == Q4_0 ? -8 * total : kind == Q8_0 ? -EIGHT_OFFSET * total : 0;
      ints sum = all(bias);
      for (int g = 0; g < 8; g++) {
        int32_t four;
        memcpy(&four, q + 4 * g, 4);
        sum = dot4(sum, w[g], all(four), kind == Q8_0);
      }
      sums[j] = fma_(to_floats(sum), times(d, allf(columns[j].d[b])), sums[j]);
      if (kind == Q4_1) sums[j] = fma_(halves(scales + 2 * ROWS), allf(columns[j].d[b] * (float)total), sums[j]);
    }
  }
  UNROLL for (int j = 0; j < count; j++) store(columns[j].y + row, sums[j]);
}

#define CASE(kind, count) case count: tile(kind, count, panel, blocks, columns, row); break;
#if defined(__AVX512VNNI__)
#define WIDE(kind) CASE(kind, 5) CASE(kind, 6) CASE(kind, 8) CASE(kind, 12)
#else
#define WIDE(kind)
#endif
#define TILES(kind, name) \
  static __attribute__((noinline)) void name(int count, const uint8_t *panel, int64_t blocks, const Column *columns, int64_t row) { \
    switch (count) { CASE(kind, 1) CASE(kind, 2) CASE(kind, 3) CASE(kind, 4) WIDE(kind) } \
  }
TILES(Q4_0, tile_q4_0)
TILES(Q4_1, tile_q4_1)
TILES(Q8_0, tile_q8_0)

/* Columns of the next tile of `left`: a width that was compiled. 7 are 4 and 3, 9 are 5 and 4, 13 are 8 and 5. */
static int width(int64_t left) {
  if (left >= 2 * TILE || left == TILE) return TILE;
  if (TILE < 12) return left < TILE ? (int)left : TILE;
  if (left > 16) return 12;
  if (left >= 11) return left == 11 ? 6 : 8;
  return left >= 9 ? 5 : left == 8 ? 8 : left == 7 ? 4 : (int)left;
}

typedef struct {
  int kind;
  int64_t blocks;
  size_t panel_bytes;
  /* Panels of this thread. */
  int64_t from, to;
} Share;

static Share share_of(int kind, int64_t k, int64_t m, int ith, int nth) {
  const int64_t panels = m / ROWS, blocks = k / BLOCK;
  return (Share){kind, blocks, panel_block(kind) * (size_t)blocks, panels * ith / nth, panels * (ith + 1) / nth};
}

/* A thread's panels of one packed matrix by n columns: each panel stays in the cache while all columns meet it. */
static void multiply(Share share, const uint8_t *packed, const Column *columns, int64_t n) {
  for (int64_t panel = share.from; panel < share.to; panel++) {
    const uint8_t *at = packed + share.panel_bytes * (size_t)panel;
    for (int64_t first = 0, count; first < n; first += count) {
      count = width(n - first);
      if (share.kind == Q4_0) tile_q4_0((int)count, at, share.blocks, columns + first, panel * ROWS);
      else if (share.kind == Q4_1) tile_q4_1((int)count, at, share.blocks, columns + first, panel * ROWS);
      else tile_q8_0((int)count, at, share.blocks, columns + first, panel * ROWS);
    }
  }
}

/* Columns that go through a thread's panels together: their activations stay in the second cache. */
enum { GROUP = 96 };

static Column column_of(const char *quantised, int64_t k, char *y) {
  const int8_t *q = (const int8_t *)quantised;
  return (Column){q, (const float *)(q + k), (const int32_t *)(q + k + k / BLOCK * 4), (float *)y};
}

/* ggml op: src[0] packed weights, src[1] what unmask_quantise made of x → F32 [m, n]. userdata: the kind. */
void unmask_product(struct ggml_tensor *dst, int ith, int nth, void *userdata) {
  const struct ggml_tensor *x = dst->src[1];
  const int64_t k = x->ne[0] * 4 / 5, n = dst->ne[1];
  const Share share = share_of((int)(intptr_t)userdata, k, dst->ne[0], ith, nth);
  for (int64_t first = 0; first < n; first += GROUP) {
    const int64_t count = n - first < GROUP ? n - first : GROUP;
    Column columns[GROUP];
    for (int64_t j = 0; j < count; j++) {
      columns[j] = column_of((const char *)x->data + (first + j) * x->nb[1], k, (char *)dst->data + (first + j) * dst->nb[1]);
    }
    multiply(share, (const uint8_t *)dst->src[0]->data, columns, count);
  }
}

/*
 * ggml op: src[0] packed matrices one after the other, src[1] what unmask_quantise made of x, one column for each row or for each
 * chosen matrix of it, src[2] I32 [used, n] which → F32 [m, used, n]. userdata: the kind + 16 · matrices. Columns are
 * gathered by matrix, so that each is read once.
 */
void unmask_chosen_product(struct ggml_tensor *dst, int ith, int nth, void *userdata) {
  const struct ggml_tensor *x = dst->src[1], *ids = dst->src[2];
  const int64_t k = x->ne[0] * 4 / 5, used = dst->ne[1], n = dst->ne[2];
  const int64_t each = x->ne[1] / n;
  const int matrices = (int)((intptr_t)userdata / 16);
  const Share share = share_of((int)((intptr_t)userdata % 16), k, dst->ne[0], ith, nth);
  const size_t matrix_bytes = share.panel_bytes * (size_t)(dst->ne[0] / ROWS);
  for (int matrix = 0; matrix < matrices; matrix++) {
    const uint8_t *packed = (const uint8_t *)dst->src[0]->data + matrix_bytes * (size_t)matrix;
    Column columns[GROUP];
    int64_t count = 0;
    for (int64_t i = 0; i < used * n; i++) {
      const int64_t slot = i % used, row = i / used;
      const int32_t id = *(const int32_t *)((const char *)ids->data + slot * ids->nb[0] + row * ids->nb[1]);
      if (id != matrix) continue;
      const char *q = (const char *)x->data + (each == 1 ? row : i) * x->nb[1];
      columns[count++] = column_of(q, k, (char *)dst->data + slot * dst->nb[1] + row * dst->nb[2]);
      if (count == GROUP) {
        multiply(share, packed, columns, count);
        count = 0;
      }
    }
    multiply(share, packed, columns, count);
  }
}

/* For the bench: `rounds` times 12 independent dot-product instructions on registers. Gives the multiply-adds that were done. */
int64_t unmask_peak(int64_t rounds) {
  ints w = all(0x01010101), x = all(0x02020202);
#define EACH(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11)
#define DECLARE(j) ints sum##j = all(j);
#define STEP(j) sum##j = dot4(sum##j, w, x, 0); __asm__ volatile("" : "+v"(sum##j));
  EACH(DECLARE)
  for (int64_t i = 0; i < rounds; i++) { EACH(STEP) }
  return rounds * 12 * ROWS * 4;
}
