/*
 * Products of 4- to 8-bit weights with a few columns of activations, as ops inside a ggml graph.
 *
 * A denoising step multiplies every weight matrix by 1 to some dozens of columns. Each dot-product instruction meets four
 * consecutive numbers of every row of a panel with four broadcast activations. Activations are rounded to 8 bits in blocks of
 * 32, each with its own scale; sums inside a block are exact integers. A column goes through the same operations in the
 * same order whatever stands beside it, so its bits depend on nothing else, nor on the number of threads.
 */
#include "packed.h"

/* Columns of the widest tile: as many integer and float sums as there are registers for. */
enum { TILE = LANES == 16 ? 6 : 4 };
/* Blocks of a row that columns meet before the next ones: those of all columns of a group, and of a panel, fit into the second cache. */
enum { CHUNK = 128 };

typedef struct {
  const Block *x;
  float *y;
  /* What sums begin with; nothing: 0. */
  const float *start;
} Column;

/* Blocks `from` to `to` of a panel; meanwhile `lines` lines for each come into the cache, from `ahead` on. */
typedef struct {
  const uint8_t *panel;
  int64_t from, to;
  const uint8_t *ahead;
  int64_t lines;
} Stretch;

/* Groups g and g + 4 of a block, for vector v of rows. */
INLINE void weights_of(int kind, const uint8_t *block, int g, int v, ints *low, ints *high) {
  const uint8_t *at = block + 4 * LANES * v;
  const ints first = load(at + g * ROWS * 4);
  if (kind == Q8_0) {
    *low = first;
    *high = load(at + (g + 4) * ROWS * 4);
    return;
  }
  const ints nibble = all(0x0f0f0f0f);
  *low = both(first, nibble);
  *high = both(RIGHT(first, 4), nibble);
  if (kind != Q6_K) return;
  const ints pairs = load(at + (4 + g % 2) * ROWS * 4), pair = all(0x30303030);
  *low = either(*low, both(g < 2 ? LEFT(pairs, 4) : LEFT(pairs, 2), pair));
  *high = either(*high, both(g < 2 ? pairs : RIGHT(pairs, 2), pair));
}

/* Scales of a block, or of its half where halves have their own. */
INLINE floats scale_of(int kind, const uint8_t *scales, const uint8_t *shared, int v, int half) {
  if (kind == Q4_K) return times(halves(shared + 2 * LANES * v), to_floats(small_counts(scales + LANES * v)));
  if (kind == Q6_K) return times(halves(shared + 2 * LANES * v), to_floats(small_ints(scales + half * ROWS + LANES * v)));
  return halves(scales + 2 * LANES * v);
}

/* What is added for each activation of the block, where there is such. */
INLINE floats offset_of(int kind, const uint8_t *scales, const uint8_t *shared, int v) {
  if (kind == Q4_1) return halves(scales + 2 * ROWS + 2 * LANES * v);
  return minus(zero(), times(halves(shared + 2 * ROWS + 2 * LANES * v), to_floats(small_counts(scales + ROWS + LANES * v))));
}

INLINE int32_t less_of(int kind, const Block *x, int half) {
  return kind == Q4_0 ? x->less8 : kind == Q8_0 && EIGHT_OFFSET != 0 ? x->less128 : kind == Q6_K ? x->less32[half] : 0;
}

INLINE ints four_of(const Block *x, int g) {
  int32_t four;
  memcpy(&four, x->q + 4 * g, 4);
  return all(four);
}

INLINE floats begin(const Column *column, int64_t block, int64_t row) {
  const float *from = block > 0 ? column->y : column->start;
  return from == NULL ? zero() : loadf(from + row);
}

/* A stretch of a panel by `count` columns. Inlined with constants for kind and count. */
INLINE void tile(int kind, int count, Stretch of, const Column *columns, int64_t row) {
  floats sums[VECTORS][TILE];
  UNROLL for (int v = 0; v < VECTORS; v++) {
    UNROLL for (int j = 0; j < count; j++) sums[v][j] = begin(columns + j, of.from, row + v * LANES);
  }
  /* Numbers that share a scale: a block, or half of one. */
  const int parts = kind == Q6_K ? 2 : 1;
  const uint8_t *ahead = of.ahead;
  for (int64_t b = of.from; b < of.to; b++) {
    for (int64_t i = 0; i < of.lines; i++, ahead += LINE) __builtin_prefetch(ahead);
    const uint8_t *block = of.panel + block_at(kind, b), *scales = block + numbers_bytes(kind), *shared = of.panel + shared_at(kind, b);
    UNROLL for (int part = 0; part < parts; part++) {
      ints inner[VECTORS][TILE];
      UNROLL for (int j = 0; j < count; j++) {
        UNROLL for (int v = 0; v < VECTORS; v++) inner[v][j] = all(less_of(kind, columns[j].x + b, part));
      }
      UNROLL for (int g = 0; g < 4; g++) {
        ints low[VECTORS], high[VECTORS];
        UNROLL for (int v = 0; v < VECTORS; v++) weights_of(kind, block, g, v, low + v, high + v);
        UNROLL for (int j = 0; j < count; j++) {
          if (part == 0) {
            const ints x = four_of(columns[j].x + b, g);
            UNROLL for (int v = 0; v < VECTORS; v++) inner[v][j] = dot4(inner[v][j], low[v], x, kind == Q8_0);
          }
          if (part == parts - 1) {
            const ints x = four_of(columns[j].x + b, g + 4);
            UNROLL for (int v = 0; v < VECTORS; v++) inner[v][j] = dot4(inner[v][j], high[v], x, kind == Q8_0);
          }
        }
      }
      UNROLL for (int v = 0; v < VECTORS; v++) {
        const floats d = scale_of(kind, scales, shared, v, part);
        UNROLL for (int j = 0; j < count; j++) {
          sums[v][j] = fma_(to_floats(inner[v][j]), times(d, allf(columns[j].x[b].d)), sums[v][j]);
        }
      }
    }
    if (kind != Q4_1 && kind != Q4_K) continue;
    UNROLL for (int v = 0; v < VECTORS; v++) {
      const floats m = offset_of(kind, scales, shared, v);
      UNROLL for (int j = 0; j < count; j++) sums[v][j] = fma_(m, allf(columns[j].x[b].d_sum), sums[v][j]);
    }
  }
  UNROLL for (int v = 0; v < VECTORS; v++) {
    UNROLL for (int j = 0; j < count; j++) store(columns[j].y + row + v * LANES, sums[v][j]);
  }
}

#define CASE(kind, count) case count: tile(kind, count, of, columns, row); break;
#if defined(__AVX512VNNI__)
#define WIDE(kind) CASE(kind, 5) CASE(kind, 6)
#else
#define WIDE(kind)
#endif
#define TILES(kind, name) \
  static __attribute__((noinline)) void name(int count, Stretch of, const Column *columns, int64_t row) { \
    switch (count) { CASE(kind, 1) CASE(kind, 2) CASE(kind, 3) CASE(kind, 4) WIDE(kind) } \
  }
TILES(Q4_0, tile_q4_0)
TILES(Q4_1, tile_q4_1)
TILES(Q8_0, tile_q8_0)
TILES(Q4_K, tile_q4_k)
TILES(Q6_K, tile_q6_k)

typedef void (*Tile)(int count, Stretch of, const Column *columns, int64_t row);

static Tile tile_of(int kind) {
  return kind == Q4_0 ? tile_q4_0 : kind == Q4_1 ? tile_q4_1 : kind == Q8_0 ? tile_q8_0 : kind == Q4_K ? tile_q4_k : tile_q6_k;
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
  return (Share){kind, blocks, panel_bytes(kind, blocks), panels * ith / nth, panels * (ith + 1) / nth};
}

/* What one tile asks for stands so far ahead of what it reads: memory's delay at its full speed. */
enum { AHEAD = 16384 };

/* Columns that go through a thread's panels together: their activations stay in the second cache. */
enum { GROUP = 96 };

/* A thread's panels of one packed matrix by n columns, at most GROUP: a panel's chunk stays in the cache while all columns meet it. */
static void multiply(Share share, const uint8_t *packed, const Column *columns, int64_t n) {
  if (n == 0) return;
  const Tile run = tile_of(share.kind);
  const int64_t tiles = (n + TILE - 1) / TILE, lines = ((int64_t)block_bytes(share.kind) + LINE - 1) / LINE;
  /* Tiles as wide as one another, or almost. */
  int64_t ends[GROUP];
  for (int64_t tile = 0; tile < tiles; tile++) ends[tile] = n * (tile + 1) / tiles;
  const int64_t lines_each = (lines + tiles - 1) / tiles;
  for (int64_t panel = share.from; panel < share.to; panel++) {
    const uint8_t *at = packed + share.panel_bytes * (size_t)panel;
    for (int64_t from = 0, to; from < share.blocks; from = to) {
      to = share.blocks - from > CHUNK ? from + CHUNK : share.blocks;
      Stretch of = {at, from, to, at + panel_bytes(share.kind, from) + AHEAD, lines};
      if (tiles > 1) of.ahead = at + panel_bytes(share.kind, to), of.lines = lines_each;
      for (int64_t tile = 0, first = 0; tile < tiles; first = ends[tile++]) {
        run((int)(ends[tile] - first), of, columns + first, panel * ROWS);
        of.ahead += LINE * of.lines * (to - from);
      }
    }
  }
}

/* Numbers of a column that takes so many bytes. */
static int64_t numbers_of(int64_t bytes) { return bytes / (int64_t)sizeof(Block) * BLOCK; }

/* Columns of dst from `first` on, as many as x has: products, added to what `start` holds. */
static void multiply_columns(Share share, const void *packed, const struct ggml_tensor *x, struct ggml_tensor *dst, const struct ggml_tensor *start) {
  const int64_t n = x->ne[1], skipped = dst->ne[1] - n;
  for (int64_t first = 0; first < n; first += GROUP) {
    const int64_t count = n - first < GROUP ? n - first : GROUP;
    Column columns[GROUP];
    for (int64_t j = 0; j < count; j++) {
      const int64_t column = skipped + first + j;
      columns[j].x = (const Block *)(const void *)((const char *)x->data + (first + j) * (int64_t)x->nb[1]);
      columns[j].y = row_of(dst, column);
      columns[j].start = start == NULL ? NULL : row_of(start, column);
    }
    multiply(share, first_panel(packed), columns, count);
  }
}

/* What userdata of unmask_product holds: kind, kind of the adapter or 0, 1 where sums begin with src[2]. */
enum { ADAPTER_KIND = 256, WITH_START = 65536 };

/*
 * ggml op: src[0] packed weights, src[1] what unmask_quantise made of x → F32 [m, n]; where there is one, on top of src[2], F32 [m, n];
 * the last two sources, where there is an adapter, are its packed weights and what unmask_quantise made of its last columns.
 */
void unmask_product(struct ggml_tensor *dst, int ith, int nth, void *userdata) {
  const int64_t number = (intptr_t)userdata, m = dst->ne[0];
  const int kind = (int)(number % ADAPTER_KIND), adapter = (int)(number / ADAPTER_KIND % ADAPTER_KIND), started = (int)(number / WITH_START);
  const struct ggml_tensor *x = dst->src[1];
  multiply_columns(share_of(kind, numbers_of(x->ne[0]), m, ith, nth), dst->src[0]->data, x, dst, started ? dst->src[2] : NULL);
  if (adapter == 0) return;
  /* Both shares are the same rows. */
  const struct ggml_tensor *weights = dst->src[2 + started], *inner = dst->src[3 + started];
  multiply_columns(share_of(adapter, numbers_of(inner->ne[0]), m, ith, nth), weights->data, inner, dst, dst);
}

/*
 * ggml op: src[0] packed matrices one after the other, src[1] what unmask_quantise made of x, one column for each row or for each
 * chosen matrix of it, src[2] I32 [used, n] which → F32 [m, used, n]. userdata: the kind + 16 · matrices. Columns are
 * gathered by matrix, so that each is read once.
 */
void unmask_chosen_product(struct ggml_tensor *dst, int ith, int nth, void *userdata) {
  const struct ggml_tensor *x = dst->src[1], *ids = dst->src[2];
  const int64_t used = dst->ne[1], n = dst->ne[2], each = x->ne[1] / n;
  const int matrices = (int)((intptr_t)userdata / 16);
  const Share share = share_of((int)((intptr_t)userdata % 16), numbers_of(x->ne[0]), dst->ne[0], ith, nth);
  const size_t matrix_bytes = share.panel_bytes * (size_t)(dst->ne[0] / ROWS);
  for (int matrix = 0; matrix < matrices; matrix++) {
    const uint8_t *packed = first_panel(dst->src[0]->data) + matrix_bytes * (size_t)matrix;
    Column columns[GROUP];
    int64_t count = 0;
    for (int64_t i = 0; i < used * n; i++) {
      const int64_t slot = i % used, row = i / used;
      const int32_t id = *(const int32_t *)(const void *)((const char *)ids->data + slot * (int64_t)ids->nb[0] + row * (int64_t)ids->nb[1]);
      if (id != matrix) continue;
      columns[count].x = (const Block *)(const void *)((const char *)x->data + (each == 1 ? row : i) * (int64_t)x->nb[1]);
      columns[count].start = NULL;
      columns[count++].y = (float *)(void *)((char *)dst->data + slot * (int64_t)dst->nb[1] + row * (int64_t)dst->nb[2]);
      if (count == GROUP) {
        multiply(share, packed, columns, count);
        count = 0;
      }
    }
    multiply(share, packed, columns, count);
  }
}
