/*
 * Attention of rows over cells of a cache, as one op inside a ggml graph: soft_max(q·K / √D)·V for every row and head, by the online
 * soft_max of Milakov and Gimelshein (2018) over runs of CHUNK cells. A row sees cells [0, until) and [from, to) of its
 * own sequence and nothing else: its bits depend on no other row, and not on the number of threads.
 *
 * A vector lane is a cell while scores are made, and a feature while values are summed. So keys lie in blocks of BLOCK cells, in
 * each block one feature after the other, and values by cell.
 */
#include "vectors.h"

/* Cells of a block of keys, and cells whose scores are held at once. */
enum { BLOCK = 32, CHUNK = 4 * BLOCK };
/* Query heads of one key head that share what is loaded. */
enum { HEADS = 4 };
/* Longest head: longer ones are left to ggml. */
enum { WIDTH_MAX = 256 };
enum { F32 = 0, BF16 = 30 }; /* ggml's own numbers */

/* e^x for x ≤ 0, within 2 units of the last place; 0 below -87. Cody and Waite's reduction, Cephes' polynomial. */
static inline floats exp_(floats x) {
  const floats lowest = allf(-87.0f);
  const lanes tiny = below(x, lowest);
  /* Lowest first: what is no number stays none. */
  x = larger(lowest, x);
  const floats n = rounded(times(x, allf(1.44269504088896341f)));
  floats r = fma_(n, allf(-0.693359375f), x);
  r = fma_(n, allf(2.12194440e-4f), r);
  floats p = allf(1.9875691500e-4f);
  p = fma_(p, r, allf(1.3981999507e-3f));
  p = fma_(p, r, allf(8.3334519073e-3f));
  p = fma_(p, r, allf(4.1665795894e-2f));
  p = fma_(p, r, allf(1.6666665459e-1f));
  p = fma_(p, r, allf(5.0000001201e-1f));
  p = fma_(p, times(r, r), plus(r, allf(1.0f)));
  return zero_where(tiny, scaled_by_power(p, n));
}

static inline floats numbers(int type, const char *from, int64_t at) {
  return type == BF16 ? brains((const uint16_t *)(const void *)from + at) : loadf((const float *)(const void *)from + at);
}

typedef struct {
  int type;
  int64_t width;
  /* This head's keys in the first block of the sequence; numbers from one block to the next. */
  const char *keys;
  int64_t key_stride;
  /* This head's values in the first cell of the sequence; numbers from one cell to the next. */
  const char *values;
  int64_t value_stride;
  float scale;
} Head;

typedef struct {
  float most[HEADS], sum[HEADS];
  float out[HEADS][WIDTH_MAX];
} State;

/* Cells `from` to `to` of the chunk that begins at `chunk`, a multiple of BLOCK. */
typedef struct {
  int64_t chunk, from, to;
} Run;

/* Scores of the run's cells for `heads` queries; -infinity in the rest of its blocks. Gives where those end. */
static inline __attribute__((always_inline)) int64_t score(int heads, const Head *head, const float *const *q, Run run, float scores[HEADS][CHUNK]) {
  int64_t at = run.from / LANES * LANES;
  for (int h = 0; h < heads; h++) {
    for (int64_t i = 0; i < at; i += LANES) store(scores[h] + i, allf(-INFINITY));
  }
  for (; at < run.to; at += LANES) {
    const int64_t block = (run.chunk + at) / BLOCK, lane = (run.chunk + at) % BLOCK;
    const int64_t place = block * head->key_stride + lane;
    floats sums[HEADS];
    UNROLL for (int h = 0; h < heads; h++) sums[h] = zero();
    for (int64_t d = 0; d < head->width; d++) {
      const floats k = numbers(head->type, head->keys, place + d * BLOCK);
      UNROLL for (int h = 0; h < heads; h++) sums[h] = fma_(allf(q[h][d]), k, sums[h]);
    }
    UNROLL for (int h = 0; h < heads; h++) {
      const floats s = times(sums[h], allf(head->scale));
      store(scores[h] + at, lanes_between(s, run.from - at, run.to - at));
    }
  }
  return at;
}

/* Features d to d + vectors · LANES of the weighted sum of the run's values. */
static inline __attribute__((always_inline)) void sum_values(int heads, int vectors, const Head *head, Run run, int64_t d, float weights[HEADS][CHUNK], const float *shrink, State *state) {
  floats sums[HEADS][2];
  UNROLL for (int h = 0; h < heads; h++) {
    UNROLL for (int v = 0; v < vectors; v++) sums[h][v] = times(loadf(state->out[h] + d + v * LANES), allf(shrink[h]));
  }
  for (int64_t i = run.from; i < run.to; i++) {
    const int64_t place = (run.chunk + i) * head->value_stride + d;
    floats values[2];
    UNROLL for (int v = 0; v < vectors; v++) values[v] = numbers(head->type, head->values, place + v * LANES);
    UNROLL for (int h = 0; h < heads; h++) {
      const floats weight = allf(weights[h][i]);
      UNROLL for (int v = 0; v < vectors; v++) sums[h][v] = fma_(weight, values[v], sums[h][v]);
    }
  }
  UNROLL for (int h = 0; h < heads; h++) {
    UNROLL for (int v = 0; v < vectors; v++) store(state->out[h] + d + v * LANES, sums[h][v]);
  }
}

/* Takes the run's cells into the state. */
static inline __attribute__((always_inline)) void meet(int heads, const Head *head, const float *const *q, Run run, State *state) {
  float scores[HEADS][CHUNK], shrink[HEADS];
  const int64_t end = score(heads, head, q, run, scores);
  for (int h = 0; h < heads; h++) {
    /* What is no number counts for nothing here, and spoils the sum below, as it must. */
    floats tops = allf(state->most[h]);
    for (int64_t i = 0; i < end; i += LANES) tops = larger(loadf(scores[h] + i), tops);
    const float most = largest_of(tops);
    shrink[h] = first_of(exp_(allf(state->most[h] - most)));
    floats total = zero();
    for (int64_t i = 0; i < end; i += LANES) {
      const floats p = exp_(minus(loadf(scores[h] + i), allf(most)));
      store(scores[h] + i, p);
      total = plus(total, p);
    }
    state->sum[h] = state->sum[h] * shrink[h] + sum_of(total);
    state->most[h] = most;
  }
  int64_t d = 0;
  for (; d + 2 * LANES <= head->width; d += 2 * LANES) sum_values(heads, 2, head, run, d, scores, shrink, state);
  if (d < head->width) sum_values(heads, 1, head, run, d, scores, shrink, state);
}

static inline __attribute__((always_inline)) void look(int heads, const Head *head, const float *const *q, const int32_t *place, float *const *y) {
  State state;
  for (int h = 0; h < heads; h++) {
    state.most[h] = -3.0e38f;
    state.sum[h] = 0;
    for (int64_t d = 0; d < head->width; d++) state.out[h][d] = 0;
  }
  const int64_t runs[2][2] = {{0, place[1]}, {place[2], place[3]}};
  for (int run = 0; run < 2; run++) {
    const int64_t from = runs[run][0], to = runs[run][1];
    for (int64_t chunk = from / BLOCK * BLOCK; chunk < to; chunk += CHUNK) {
      meet(heads, head, q, (Run){chunk, from > chunk ? from - chunk : 0, to - chunk < CHUNK ? to - chunk : CHUNK}, &state);
    }
  }
  for (int h = 0; h < heads; h++) {
    for (int64_t d = 0; d < head->width; d++) y[h][d] = state.out[h][d] / state.sum[h];
  }
}

#define LOOK(name, heads, type_) \
  static __attribute__((noinline)) void name(Head head, const float *const *q, const int32_t *place, float *const *y) { \
    head.type = type_; \
    look(heads, &head, q, place, y); \
  }
LOOK(look_bf16_1, 1, BF16)
LOOK(look_bf16_2, 2, BF16)
LOOK(look_bf16_3, 3, BF16)
LOOK(look_bf16_4, 4, BF16)
LOOK(look_f32_1, 1, F32)
LOOK(look_f32_2, 2, F32)
LOOK(look_f32_3, 3, F32)
LOOK(look_f32_4, 4, F32)

/* 1 where this file can do it. */
int unmask_attends(int64_t width) { return width > 0 && width <= WIDTH_MAX && width % LANES == 0; }

/*
 * ggml op: src[0] queries F32 [width, heads, rows] without gaps; src[1] keys, in blocks, and src[2] values [key heads · width, cells], as
 * many, both BF16 or both F32; src[3] I32 [4, rows]: first cell of the row's sequence (a multiple of BLOCK), until, from, to → F32
 * [heads · width, rows].
 */
void unmask_attend(struct ggml_tensor *dst, int ith, int nth, void *userdata) {
  (void)userdata;
  const struct ggml_tensor *queries = dst->src[0], *keys = dst->src[1], *values = dst->src[2], *places = dst->src[3];
  const int64_t width = queries->ne[0], heads = queries->ne[1], rows = queries->ne[2];
  const int64_t key_heads = values->ne[0] / width, group = heads / key_heads;
  const int type = keys->type, size = type == BF16 ? 2 : 4;
  static void (*const LOOKS[2][HEADS])(Head, const float *const *, const int32_t *, float *const *) = {
    {look_bf16_1, look_bf16_2, look_bf16_3, look_bf16_4},
    {look_f32_1, look_f32_2, look_f32_3, look_f32_4},
  };
  for (int64_t job = ith; job < rows * key_heads; job += nth) {
    const int64_t row = job / key_heads, key_head = job % key_heads;
    const int32_t *place = (const int32_t *)((const char *)places->data + row * places->nb[1]);
    const Head head = {
      .type = type,
      .width = width,
      .keys = (const char *)keys->data + (place[0] * values->ne[0] + key_head * width * BLOCK) * size,
      .key_stride = values->ne[0] * BLOCK,
      .values = (const char *)values->data + place[0] * values->nb[1] + key_head * width * size,
      .value_stride = values->ne[0],
      .scale = 1.0f / sqrtf((float)width),
    };
    for (int64_t first = 0; first < group; first += HEADS) {
      const int64_t count = group - first < HEADS ? group - first : HEADS;
      const float *q[HEADS];
      float *y[HEADS];
      for (int64_t h = 0; h < count; h++) {
        const int64_t at = key_head * group + first + h;
        q[h] = (const float *)((const char *)queries->data + row * queries->nb[2] + at * queries->nb[1]);
        y[h] = (float *)((char *)dst->data + row * dst->nb[1]) + at * width;
      }
      LOOKS[type == BF16 ? 0 : 1][count - 1](head, q, place, y);
    }
  }
}
