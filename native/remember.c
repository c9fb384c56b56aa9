/* What attention needs of new rows: queries and keys normed and rotated, keys and values in the cache. */
#include "packed.h"

/* The cells of the cache and what a row's heads are made with. */
typedef struct {
  int64_t width, dimensions;
  /* Pairs are (i, i + dimensions/2) then, else neighbours. */
  int halves;
  float epsilon;
} Heads;

/* userdata: width + 2^10 dimensions + 2^20 halves + 2^21 bits of epsilon. */
static Heads heads_of(uint64_t number) {
  return (Heads){(int64_t)(number & 1023), (int64_t)(number >> 10 & 1023), (int)(number >> 20 & 1), float_of((uint32_t)(number >> 21))};
}

/* One head: normed where there are weights for it, and its first dimensions turned by their angles: cosines, then sines. */
static void turn(Heads heads, const float *from, const float *norm, const float *angles, float *to) {
  const int64_t pairs = heads.dimensions / 2, step = heads.halves ? pairs : 1;
  const float *cosines = angles, *sines = angles + pairs;
  for (int64_t i = 0; i < heads.width; i++) to[i] = from[i];
  if (norm != NULL) {
    const float scale = norm_scale(from, heads.width, heads.epsilon);
    for (int64_t i = 0; i < heads.width; i++) to[i] = from[i] * scale * norm[i];
  }
  for (int64_t pair = 0; pair < pairs; pair++) {
    float *a = to + (heads.halves ? pair : 2 * pair), *b = a + step;
    const float x = *a, y = *b;
    *a = x * cosines[pair] - y * sines[pair];
    *b = x * sines[pair] + y * cosines[pair];
  }
}

/* To the nearest, ties to even; what is no number stays none. */
static uint16_t brain(float x) {
  uint32_t bits;
  memcpy(&bits, &x, 4);
  if ((bits & 0x7fffffff) > 0x7f800000) return (uint16_t)(bits >> 16 | 64);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static void put(const struct ggml_tensor *cache, int64_t at, float x) {
  if (cache->type == BF16) ((uint16_t *)cache->data)[at] = brain(x);
  else ((float *)cache->data)[at] = x;
}

/*
 * ggml op: src[0] F32 [queries, keys and values of all heads, n]; src[1] F32 [dimensions, n]: cosines, then sines; src[2] I32 [rows]: the
 * cells of the first rows, the others have none; src[3] keys and src[4] values of the cache, as unmask_attend reads them, written
 * here; src[5] and src[6], where heads are normed, F32 [width] for queries and for keys → F32 [width · heads, n]: the queries.
 */
void unmask_remember(struct ggml_tensor *dst, int ith, int nth, void *userdata) {
  const Heads heads = heads_of((uint64_t)(uintptr_t)userdata);
  const struct ggml_tensor *x = dst->src[0], *angles = dst->src[1], *cells = dst->src[2], *keys = dst->src[3], *values = dst->src[4];
  const float *query_norm = dst->src[5] == NULL ? NULL : dst->src[5]->data, *key_norm = dst->src[6] == NULL ? NULL : dst->src[6]->data;
  const int64_t stored = values->ne[0], all = dst->ne[0];
  /* Rows beside one another go to one thread: their cells share the lines of a block of keys. Two threads write to a line, each its own
   * cells, only where one's rows end inside a block; by key head no line would be shared, but few heads are badly split. */
  const int64_t end = dst->ne[1] * (ith + 1) / nth;
  for (int64_t row = dst->ne[1] * ith / nth; row < end; row++) {
    const float *from = row_of(x, row);
    const float *turns = row_of(angles, row);
    float *queries = row_of(dst, row);
    for (int64_t at = 0; at < all; at += heads.width) turn(heads, from + at, query_norm, turns, queries + at);
    if (row >= cells->ne[0]) continue;
    const int64_t cell = ((const int32_t *)cells->data)[row], lane = cell % BLOCK, block = (cell - lane) * stored;
    for (int64_t at = 0; at < stored; at += heads.width) {
      float key[1024];
      turn(heads, from + all + at, key_norm, turns, key);
      for (int64_t i = 0; i < heads.width; i++) put(keys, block + (at + i) * BLOCK + lane, key[i]);
    }
    for (int64_t i = 0; i < stored; i++) put(values, cell * stored + i, from[all + stored + i]);
  }
}
