/* A file's rows of blocks into panels. */
#include "packed.h"

static int is_known(int kind) { return kind == Q4_0 || kind == Q4_1 || kind == Q8_0 || kind == Q4_K || kind == Q6_K; }

/* Bytes of a packed matrix of m rows of k numbers; 0 where it cannot be packed. */
size_t unmask_packed_bytes(int kind, int64_t k, int64_t m) {
  if (!is_known(kind) || k <= 0 || m <= 0 || m % ROWS != 0) return 0;
  if (k % (shared_bytes(kind) > 0 ? SUPER * BLOCK : BLOCK) != 0) return 0;
  return panel_bytes(kind, k / BLOCK) * (size_t)(m / ROWS) + LINE;
}

/* One block of a row: its 32 numbers as bytes (0 to 15, 0 to 63, or 8-bit weights in the form that dot4 wants), and its scales. */
typedef struct {
  uint8_t q[BLOCK];
  uint8_t scales[4];
} Numbers;

static Numbers read_plain(int kind, const uint8_t *file) {
  Numbers out = {0};
  const uint8_t *numbers = file + (kind == Q4_1 ? 4 : 2);
  memcpy(out.scales, file, kind == Q4_1 ? 4 : 2);
  for (int i = 0; i < BLOCK; i++) {
    if (kind == Q8_0) out.q[i] = (uint8_t)(numbers[i] + EIGHT_OFFSET);
    else out.q[i] = i < 16 ? numbers[i] & 15 : numbers[i - 16] >> 4;
  }
  return out;
}

/* Block b of a Q4_K of 256: d, e, 12 bytes of scales of six bits, 128 bytes of nibbles (ggml-quants.c, get_scale_min_k4). */
static Numbers read_q4_k(const uint8_t *file, int b) {
  Numbers out = {0};
  const uint8_t *six = file + 4, *numbers = file + 16 + 32 * (b / 2);
  if (b < 4) {
    out.scales[0] = six[b] & 63;
    out.scales[1] = six[b + 4] & 63;
  } else {
    out.scales[0] = (uint8_t)((six[b + 4] & 15) | (six[b - 4] >> 6 << 4));
    out.scales[1] = (uint8_t)((six[b + 4] >> 4) | (six[b] >> 6 << 4));
  }
  for (int i = 0; i < BLOCK; i++) out.q[i] = (numbers[i] >> (b % 2 * 4)) & 15;
  return out;
}

/* Block b of a Q6_K of 256: 128 bytes of low nibbles, 64 of high pairs, 16 scales, d. */
static Numbers read_q6_k(const uint8_t *file, int b) {
  Numbers out = {0};
  const int part = b / 4, quarter = b % 4;
  const uint8_t *low = file + 64 * part + 32 * (quarter % 2), *high = file + 128 + 32 * part;
  for (int i = 0; i < BLOCK; i++) {
    out.q[i] = (uint8_t)(((low[i] >> (quarter / 2 * 4)) & 15) | (((high[i] >> (2 * quarter)) & 3) << 4));
  }
  memcpy(out.scales, file + 192 + 2 * b, 2);
  return out;
}

/* Four bytes of group g. */
static uint32_t group(const Numbers *from, int g) {
  uint32_t four;
  memcpy(&four, from->q + 4 * g, 4);
  return four;
}

static void put(uint8_t *at, uint32_t four) { memcpy(at, &four, 4); }

static void write_block(int kind, const Numbers *from, int r, uint8_t *numbers, uint8_t *scales) {
  if (kind == Q8_0) {
    for (int g = 0; g < 8; g++) put(numbers + (g * ROWS + r) * 4, group(from, g));
  } else {
    for (int g = 0; g < 4; g++) {
      put(numbers + (g * ROWS + r) * 4, (group(from, g) & 0x0f0f0f0f) | (group(from, g + 4) & 0x0f0f0f0f) << 4);
    }
  }
  if (kind == Q6_K) {
    for (int g = 0; g < 2; g++) {
      uint32_t pairs = 0;
      for (int i = 0; i < 4; i++) pairs |= (group(from, g + 2 * i) & 0x30303030) >> 4 << (2 * i);
      put(numbers + 16 * ROWS + (g * ROWS + r) * 4, pairs);
    }
  }
  if (kind == Q4_K || kind == Q6_K) {
    scales[r] = from->scales[0];
    scales[ROWS + r] = from->scales[1];
    return;
  }
  memcpy(scales + 2 * r, from->scales, 2);
  if (kind == Q4_1) memcpy(scales + 2 * ROWS + 2 * r, from->scales + 2, 2);
}

/* Bytes of a block of 32 in a file, or of 256 where blocks share something. */
static size_t file_bytes(int kind) {
  return kind == Q4_0 ? 18 : kind == Q4_1 ? 20 : kind == Q8_0 ? 34 : kind == Q4_K ? 144 : 210;
}

static void pack_row(int kind, int64_t blocks, const uint8_t *file, int r, uint8_t *panel) {
  const int together = shared_bytes(kind) > 0 ? SUPER : 1;
  for (int64_t b = 0; b < blocks; b++) {
    const uint8_t *own = file + file_bytes(kind) * (size_t)(b / together);
    const Numbers numbers = kind == Q4_K ? read_q4_k(own, (int)(b % SUPER)) : kind == Q6_K ? read_q6_k(own, (int)(b % SUPER)) : read_plain(kind, own);
    uint8_t *block = panel + block_at(kind, b);
    write_block(kind, &numbers, r, block, block + numbers_bytes(kind));
    if (together == 1 || b % SUPER != 0) continue;
    uint8_t *at = panel + shared_at(kind, b) + 2 * r;
    memcpy(at, own + (kind == Q6_K ? 208 : 0), 2);
    if (kind == Q4_K) memcpy(at + 2 * ROWS, own + 2, 2);
  }
}

/* Rows of a file, each k/32 blocks, into panels. 1, or 0 where it cannot be packed. */
int unmask_pack(int kind, int64_t k, int64_t m, const uint8_t *file, uint8_t *packed) {
  if (unmask_packed_bytes(kind, k, m) == 0) return 0;
  const int64_t blocks = k / BLOCK;
  const size_t row = file_bytes(kind) * (size_t)(shared_bytes(kind) > 0 ? blocks / SUPER : blocks), step = panel_bytes(kind, blocks);
  uint8_t *panel = (uint8_t *)first_panel(packed);
  for (int64_t at = 0; at < m; at++) pack_row(kind, blocks, file + row * (size_t)at, (int)(at % ROWS), panel + step * (size_t)(at / ROWS));
  return 1;
}
