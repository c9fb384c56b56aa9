/*
 * Attention of rows over cells of a cache, as one op inside a ggml graph: soft_max(q·K / √D)·V for every row and head, by the online
 * soft_max of Milakov and Gimelshein (2018) over runs of CHUNK cells. A row sees cells [0, until) and [from, to) of its
 * own sequence and nothing else: its bits depend on no other row, and not on the number of threads.
 *
 * A vector lane is a cell while scores are made, and a feature while values are summed. So keys lie in blocks of BLOCK cells, in
 * each block one feature after the other, and values by cell.
 */
#include "quantise.h"

/* Cells whose scores are held at once. Keys lie in blocks of BLOCK cells. */
enum { CHUNK = 4 * BLOCK };
/* Queries of one key head that share what is loaded: as many sums, of two vectors of values each, as there are registers for. */
enum { QUERIES = LANES == 16 ? 12 : 4 };
/* Longest head: longer ones are left to ggml. */
enum { WIDTH_MAX = 256 };

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
} Head;

/* Some queries of a head: each sees cells [0, until) and [from, to). */
typedef struct {
  int64_t until[QUERIES], from, to;
  /* Times 1 / √width. */
  float q[QUERIES][WIDTH_MAX];
  float most[QUERIES], sum[QUERIES], out[QUERIES][WIDTH_MAX];
} Looks;

/* Cells `from` to `to` of the chunk that begins at `chunk`, a multiple of BLOCK; each query sees those before its own end. */
typedef struct {
  int64_t chunk, from, to, ends[QUERIES];
} Run;

/* Scores of the run's cells for `count` queries; -infinity where a query does not see. Gives where they end. */
INLINE int64_t score(int count, const Head *head, const Looks *looks, const Run *run, float scores[QUERIES][CHUNK]) {
  int64_t at = run->from / LANES * LANES;
  for (int h = 0; h < count; h++) {
    for (int64_t i = 0; i < at; i += LANES) store(scores[h] + i, allf(-INFINITY));
  }
  for (; at < run->to; at += LANES) {
    const int64_t block = (run->chunk + at) / BLOCK, lane = (run->chunk + at) % BLOCK;
    const int64_t place = block * head->key_stride + lane;
    floats sums[QUERIES];
    UNROLL for (int h = 0; h < count; h++) sums[h] = zero();
    for (int64_t d = 0; d < head->width; d++) {
      const floats k = numbers(head->type, head->keys, place + d * BLOCK);
      UNROLL for (int h = 0; h < count; h++) sums[h] = fma_(allf(looks->q[h][d]), k, sums[h]);
    }
    UNROLL for (int h = 0; h < count; h++) store(scores[h] + at, lanes_between(sums[h], run->from - at, run->ends[h] - at));
  }
  return at;
}

/* Features d to d + vectors · LANES of the weighted sum of the run's values. */
INLINE void sum_values(int count, int vectors, const Head *head, const Run *run, int64_t d, float weights[QUERIES][CHUNK], const float *shrink, Looks *looks) {
  floats sums[QUERIES][2];
  UNROLL for (int h = 0; h < count; h++) {
    UNROLL for (int v = 0; v < vectors; v++) sums[h][v] = times(loadf(looks->out[h] + d + v * LANES), allf(shrink[h]));
  }
  for (int64_t i = run->from; i < run->to; i++) {
    const int64_t place = (run->chunk + i) * head->value_stride + d;
    floats values[2];
    UNROLL for (int v = 0; v < vectors; v++) values[v] = numbers(head->type, head->values, place + v * LANES);
    UNROLL for (int h = 0; h < count; h++) {
      const floats weight = allf(weights[h][i]);
      UNROLL for (int v = 0; v < vectors; v++) sums[h][v] = fma_(weight, values[v], sums[h][v]);
    }
  }
  UNROLL for (int h = 0; h < count; h++) {
    UNROLL for (int v = 0; v < vectors; v++) store(looks->out[h] + d + v * LANES, sums[h][v]);
  }
}

/* Takes the run's cells into the state. A query that sees none of them keeps its bits: 1 · x + 0. */
INLINE void meet(int count, const Head *head, const Run *run, Looks *looks) {
  float scores[QUERIES][CHUNK], shrink[QUERIES];
  const int64_t end = score(count, head, looks, run, scores);
  for (int h = 0; h < count; h++) {
    /* What is no number counts for nothing here, and spoils the sum below, as it must. */
    floats tops = allf(looks->most[h]);
    for (int64_t i = 0; i < end; i += LANES) tops = larger(loadf(scores[h] + i), tops);
    const float most = largest_of(tops);
    shrink[h] = first_of(exp_(allf(looks->most[h] - most)));
    floats total = zero();
    for (int64_t i = 0; i < end; i += LANES) {
      const floats p = exp_(minus(loadf(scores[h] + i), allf(most)));
      store(scores[h] + i, p);
      total = plus(total, p);
    }
    looks->sum[h] = looks->sum[h] * shrink[h] + sum_of(total);
    looks->most[h] = most;
  }
  int64_t d = 0;
  for (; d + 2 * LANES <= head->width; d += 2 * LANES) sum_values(count, 2, head, run, d, scores, shrink, looks);
  if (d < head->width) sum_values(count, 1, head, run, d, scores, shrink, looks);
}

INLINE void look(int count, const Head *head, Looks *looks) {
  int64_t until = 0;
  for (int h = 0; h < count; h++) {
    until = looks->until[h] > until ? looks->until[h] : until;
    looks->most[h] = -3.0e38f;
    looks->sum[h] = 0;
    for (int64_t d = 0; d < head->width; d++) looks->out[h][d] = 0;
  }
  const int64_t runs[2][2] = {{0, until}, {looks->from, looks->to}};
  for (int run = 0; run < 2; run++) {
    const int64_t from = runs[run][0], to = runs[run][1];
    for (int64_t chunk = from / BLOCK * BLOCK; chunk < to; chunk += CHUNK) {
      Run own = {.chunk = chunk, .from = from > chunk ? from - chunk : 0, .to = to - chunk < CHUNK ? to - chunk : CHUNK};
      for (int h = 0; h < count; h++) own.ends[h] = (run == 0 ? looks->until[h] : to) - chunk;
      meet(count, head, &own, looks);
    }
  }
  for (int h = 0; h < count; h++) {
    for (int64_t d = 0; d < head->width; d++) looks->out[h][d] /= looks->sum[h];
  }
}

#define LOOK(name, count, type_) \
  static __attribute__((noinline)) void name(Head head, Looks *looks) { \
    head.type = type_; \
    look(count, &head, looks); \
  }
/* A cache of F32 is for proofs: one by one will do. */
LOOK(look_f32, 1, F32)
LOOK(look_1, 1, BF16)
LOOK(look_2, 2, BF16)
LOOK(look_3, 3, BF16)
LOOK(look_4, 4, BF16)
#if defined(__AVX512VNNI__)
LOOK(look_6, 6, BF16)
LOOK(look_9, 9, BF16)
LOOK(look_12, 12, BF16)
#endif

/* As many of `left` queries as a function was compiled for. */
static int64_t together(int type, int64_t left) {
  if (type == F32) return 1;
  if (QUERIES < 12) return left < QUERIES ? left : QUERIES;
  return left >= 12 ? 12 : left >= 9 ? 9 : left >= 6 ? 6 : left >= 4 ? 4 : left;
}

static void look_together(int64_t count, Head head, Looks *looks) {
  if (head.type == F32) look_f32(head, looks);
#if defined(__AVX512VNNI__)
  else if (count == 12) look_12(head, looks);
  else if (count == 9) look_9(head, looks);
  else if (count == 6) look_6(head, looks);
#endif
  else if (count == 4) look_4(head, looks);
  else if (count == 3) look_3(head, looks);
  else if (count == 2) look_2(head, looks);
  else look_1(head, looks);
}

/* 1 where this file can do it. */
int unmask_attends(int64_t width) { return width > 0 && width <= WIDTH_MAX && width % LANES == 0; }

static const int32_t *place_of(const struct ggml_tensor *places, int64_t row) {
  return (const int32_t *)(const void *)((const char *)places->data + row * (int64_t)places->nb[1]);
}

/* Rows from `row` on that see one sequence, and the same of it but for the end of the first cells: they look together. */
static int64_t rows_alike(const struct ggml_tensor *places, int64_t row, int64_t rows, int64_t most) {
  const int32_t *first = place_of(places, row);
  int64_t end = row + 1;
  for (; end < rows && end - row < most; end++) {
    const int32_t *next = place_of(places, end);
    if (next[0] != first[0] || next[2] != first[2] || next[3] != first[3]) break;
  }
  return end - row;
}

/* Rows and query heads of one key head; query i is head i % heads of row i / heads. */
typedef struct {
  Head head;
  int64_t row, first_head, heads, rows;
} Job;

static void do_job(struct ggml_tensor *dst, const Job *job) {
  const struct ggml_tensor *queries = dst->src[0];
  const int64_t width = job->head.width, all = job->rows * job->heads;
  const float scale = 1.0f / sqrtf((float)width);
  Looks looks;
  for (int64_t done = 0, count; done < all; done += count) {
    count = together(job->head.type, all - done);
    for (int64_t i = 0; i < count; i++) {
      const int64_t row = job->row + (done + i) / job->heads, head = job->first_head + (done + i) % job->heads;
      const int32_t *place = place_of(dst->src[3], row);
      looks.until[i] = place[1], looks.from = place[2], looks.to = place[3];
      const float *q = row_of(queries, row * queries->ne[1] + head);
      for (int64_t d = 0; d < width; d++) looks.q[i][d] = q[d] * scale;
    }
    look_together(count, job->head, &looks);
    for (int64_t i = 0; i < count; i++) {
      const int64_t row = job->row + (done + i) / job->heads, head = job->first_head + (done + i) % job->heads;
      char *out = (char *)dst->data + row * (int64_t)dst->nb[1];
      if (dst->type == F32) memcpy((float *)(void *)out + head * width, looks.out[i], (size_t)width * sizeof(float));
      else for (int64_t d = 0; d < width; d += BLOCK) quantise_block(looks.out[i] + d, (Block *)(void *)out + (head * width + d) / BLOCK);
    }
  }
}

/*
 * ggml op: src[0] queries F32 [width, heads, rows] without gaps; src[1] keys, in blocks, and src[2] values [key heads · width, cells], as
 * many, both BF16 or both F32; src[3] I32 [4, rows]: first cell of the row's sequence (a multiple of BLOCK), until, from, to → F32
 * [heads · width, rows], or where dst is I8 what unmask_quantise would make of that; heads are as long as whole blocks then.
 */
void unmask_attend(struct ggml_tensor *dst, int ith, int nth, void *userdata) {
  (void)userdata;
  const struct ggml_tensor *queries = dst->src[0], *keys = dst->src[1], *values = dst->src[2], *places = dst->src[3];
  const int64_t width = queries->ne[0], heads = queries->ne[1], rows = queries->ne[2];
  const int64_t key_heads = values->ne[0] / width, group = heads / key_heads;
  /* Few rows are shared out one by one, so that all threads have some. */
  const int64_t most = rows < 2 * nth ? 1 : group < QUERIES ? QUERIES / group : 1;
  const int64_t size = keys->type == BF16 ? 2 : 4;
  int64_t number = 0;
  for (int64_t row = 0, alike; row < rows; row += alike) {
    alike = rows_alike(places, row, rows, most);
    const int64_t start = place_of(places, row)[0];
    for (int64_t key_head = 0; key_head < key_heads; key_head++) {
      if (number++ % nth != ith) continue;
      const Job job = {
        .head = {
          .type = keys->type,
          .width = width,
          .keys = (const char *)keys->data + (start * values->ne[0] + key_head * width * BLOCK) * size,
          .key_stride = values->ne[0] * BLOCK,
          .values = (const char *)values->data + start * (int64_t)values->nb[1] + key_head * width * size,
          .value_stride = values->ne[0],
        },
        .row = row,
        .first_head = key_head * group,
        .heads = group,
        .rows = alike,
      };
      do_job(dst, &job);
    }
  }
}
