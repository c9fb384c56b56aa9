/* The likeliest tokens of a row of logits. */
#include "vectors.h"

/* More than are asked for: those that may still be among them. */
enum { KEPT = 512, ASKED_MAX = 64 };

typedef struct {
  float logit;
  int32_t id;
} Candidate;

/* Of equal logits the lower id is first. */
static int comes_before(Candidate a, Candidate b) { return a.logit > b.logit || (a.logit == b.logit && a.id < b.id); }

/* Puts the first k of n in front, in no order (Hoare's selection). */
static void select_first(Candidate *of, int64_t n, int64_t k) {
  int64_t low = 0, high = n - 1;
  while (low < high) {
    const Candidate pivot = of[(low + high) / 2];
    int64_t i = low, j = high;
    while (i <= j) {
      while (comes_before(of[i], pivot)) i++;
      while (comes_before(pivot, of[j])) j--;
      if (i <= j) {
        const Candidate other = of[i];
        of[i++] = of[j];
        of[j--] = other;
      }
    }
    if (k - 1 <= j) high = j;
    else if (k - 1 >= i) low = i;
    else return;
  }
}

/* The lowest of the first k. */
static float lowest_of(const Candidate *of, int64_t k) {
  float least = of[0].logit;
  for (int64_t i = 1; i < k; i++) least = of[i].logit < least ? of[i].logit : least;
  return least;
}

/* The k first of a row's n biased logits, in no order. Lanes that hold nothing above the k-th of those seen are passed over. */
static void choose(const float *logits, const float *bias, int64_t n, int64_t k, Candidate *chosen) {
  Candidate kept[KEPT + LANES];
  int64_t count = 0;
  float bar = -INFINITY;
  for (int64_t at = 0; at < n; at += LANES) {
    const floats x = plus(loadf(logits + at), loadf(bias + at));
    if (count >= k && !any_above(x, allf(bar))) continue;
    float own[LANES];
    store(own, x);
    for (int i = 0; i < LANES; i++) {
      if (count < k || own[i] > bar) kept[count++] = (Candidate){own[i], (int32_t)(at + i)};
    }
    if (count < KEPT) continue;
    select_first(kept, count, k);
    count = k;
    bar = lowest_of(kept, k);
  }
  select_first(kept, count, k);
  memcpy(chosen, kept, (size_t)k * sizeof(Candidate));
}

/* Σ e^(x - most) of the biased logits: no number where one of them is none. */
static float sum_powers(const float *logits, const float *bias, int64_t n, float most) {
  floats sum = zero();
  for (int64_t at = 0; at < n; at += LANES) sum = plus(sum, exp_(minus(plus(loadf(logits + at), loadf(bias + at)), allf(most))));
  return sum_of(sum);
}

/* ggml op: src[0] F32 logits [n, rows], src[1] F32 [n]: -infinity for what is never chosen → F32 [2 k, rows]: ids, then probabilities, in
 * no order. n is a multiple of LANES, k at most 64. userdata: nothing. */
void unmask_candidates(struct ggml_tensor *dst, int ith, int nth, void *userdata) {
  (void)userdata;
  const struct ggml_tensor *x = dst->src[0];
  const float *bias = dst->src[1]->data;
  const int64_t n = x->ne[0], k = dst->ne[0] / 2;
  for (int64_t row = ith; row < x->ne[1]; row += nth) {
    const float *logits = row_of(x, row);
    float *ids = row_of(dst, row), *probabilities = ids + k;
    Candidate chosen[ASKED_MAX];
    choose(logits, bias, n, k, chosen);
    float most = chosen[0].logit;
    for (int64_t i = 1; i < k; i++) most = chosen[i].logit > most ? chosen[i].logit : most;
    const float sum = sum_powers(logits, bias, n, most);
    for (int64_t i = 0; i < k; i++) {
      memcpy(ids + i, &chosen[i].id, 4);
      probabilities[i] = first_of(exp_(allf(chosen[i].logit - most))) / sum;
    }
  }
}
