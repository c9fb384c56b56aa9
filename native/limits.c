/* What no product on this processor can exceed: for benches. */
#include "vectors.h"

const char *unmask_isa(void) { return ISA; }

/* `rounds` times 12 independent dot-product instructions on registers. Gives the multiply-adds that were done. */
int64_t unmask_peak(int64_t rounds) {
  ints w = all(0x01010101), x = all(0x02020202);
#define EACH(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11)
#define DECLARE(j) ints sum##j = all(j);
#define STEP(j) sum##j = dot4(sum##j, w, x, 0); __asm__ volatile("" : "+v"(sum##j));
  EACH(DECLARE)
  for (int64_t i = 0; i < rounds; i++) { EACH(STEP) }
  return rounds * 12 * LANES * 4;
}

/* Reads `bytes`, a multiple of 256, from first to last. What it gives is of no use, but must be made. */
int64_t unmask_read(const uint8_t *from, int64_t bytes) {
  ints sum[4] = {all(0), all(0), all(0), all(0)};
  const int64_t step = 4 * sizeof(ints);
  for (int64_t at = 0; at < bytes; at += step) {
    for (int i = 0; i < 4; i++) sum[i] = either(sum[i], load(from + at + (int64_t)sizeof(ints) * i));
    __builtin_prefetch(from + at + 8192);
  }
  return total_of(either(either(sum[0], sum[1]), either(sum[2], sum[3])));
}
