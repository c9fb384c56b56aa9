/* What all files share: ggml's tensor, and vectors of 16 (AVX512 with VNNI) or 8 (AVX2) lanes under one set of names. */
#pragma once
#include <immintrin.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ggml.h at 0.23.0; the caller checks that version before it loads this library. */
struct ggml_tensor {
  int type;
  void *buffer;
  int64_t ne[4];
  size_t nb[4];
  int op;
  int32_t op_params[16];
  int32_t flags;
  struct ggml_tensor *src[10];
  struct ggml_tensor *view_src;
  size_t view_offs;
  void *data;
};

/* Row `row` of a tensor of F32 whose planes follow one another without gaps. */
static inline float *row_of(const struct ggml_tensor *x, int64_t row) { return (float *)(void *)((char *)x->data + row * (int64_t)x->nb[1]); }

enum { F32 = 0, I8 = 24, BF16 = 30 }; /* ggml's own numbers */

/* Sums stay in registers only where the compiler unrolls every loop over columns or heads. */
#define UNROLL _Pragma("GCC unroll 12")
#define INLINE static inline __attribute__((always_inline))

#if defined(__AVX512VNNI__) && defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__AVX512DQ__)
#define ISA "avx512-vnni"
enum { LANES = 16 };
typedef __m512 floats;
typedef __m512i ints;
typedef __mmask16 lanes;
static inline floats zero(void) { return _mm512_setzero_ps(); }
static inline floats allf(float x) { return _mm512_set1_ps(x); }
static inline floats loadf(const float *p) { return _mm512_loadu_ps(p); }
static inline void store(float *p, floats v) { _mm512_storeu_ps(p, v); }
static inline floats halves(const void *p) { return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p)); }
static inline floats brains(const uint16_t *p) {
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)p)), 16));
}
static inline floats plus(floats a, floats b) { return _mm512_add_ps(a, b); }
static inline floats minus(floats a, floats b) { return _mm512_sub_ps(a, b); }
static inline floats times(floats a, floats b) { return _mm512_mul_ps(a, b); }
static inline floats divided(floats a, floats b) { return _mm512_div_ps(a, b); }
static inline floats fma_(floats a, floats b, floats c) { return _mm512_fmadd_ps(a, b, c); }
static inline floats where_below(floats a, floats b, floats yes, floats no) { return _mm512_mask_mov_ps(no, _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ), yes); }
/* Where one is no number: b. */
static inline floats larger(floats a, floats b) { return _mm512_max_ps(a, b); }
static inline lanes below(floats a, floats b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
static inline int any_above(floats a, floats b) { return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ) != 0; }
static inline floats zero_where(lanes which, floats v) { return _mm512_mask_mov_ps(v, which, zero()); }
/* -infinity in lanes below `from` and from `to` on. */
static inline floats lanes_between(floats v, int64_t from, int64_t to) {
  const unsigned low = from <= 0 ? 0 : (1u << from) - 1, high = to >= LANES ? 0xffff : to <= 0 ? 0 : (1u << to) - 1;
  return _mm512_mask_mov_ps(allf(-INFINITY), (__mmask16)(high & ~low), v);
}
static inline floats rounded(floats v) { return _mm512_roundscale_ps(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
/* v · 2^n for whole n from -126 to 127. */
static inline floats scaled_by_power(floats v, floats n) { return _mm512_scalef_ps(v, n); }
static inline floats absolute(floats v) { return _mm512_abs_ps(v); }
static inline float sum_of(floats v) { return _mm512_reduce_add_ps(v); }
static inline float largest_of(floats v) { return _mm512_reduce_max_ps(v); }
static inline float first_of(floats v) { return _mm512_cvtss_f32(v); }
static inline ints load(const void *p) { return _mm512_loadu_si512(p); }
static inline ints both(ints a, ints b) { return _mm512_and_si512(a, b); }
static inline ints either(ints a, ints b) { return _mm512_or_si512(a, b); }
/* Bits of 16-bit words to the left and to the right. */
#define LEFT(v, bits) _mm512_slli_epi16(v, bits)
#define RIGHT(v, bits) _mm512_srli_epi16(v, bits)
static inline ints all(int32_t x) { return _mm512_set1_epi32(x); }
static inline floats to_floats(ints v) { return _mm512_cvtepi32_ps(v); }
static inline ints to_ints(floats v) { return _mm512_cvtps_epi32(v); }
static inline ints small_counts(const uint8_t *p) { return _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)p)); }
static inline ints small_ints(const uint8_t *p) { return _mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)(const void *)p)); }
static inline ints within(ints v, int32_t low, int32_t high) { return _mm512_max_epi32(_mm512_min_epi32(v, all(high)), all(low)); }
static inline void store_bytes(int8_t *p, ints v) { _mm_storeu_si128((__m128i *)(void *)p, _mm512_cvtepi32_epi8(v)); }
static inline int32_t total_of(ints v) { return _mm512_reduce_add_epi32(v); }
/* Bytes of w are unsigned; 8-bit weights carry +128, which a bias takes back. */
static inline ints dot4(ints sum, ints w, ints x, int eight) { (void)eight; return _mm512_dpbusd_epi32(sum, w, x); }
enum { EIGHT_OFFSET = 128 };
#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#define ISA "avx2"
enum { LANES = 8 };
typedef __m256 floats;
typedef __m256i ints;
typedef __m256 lanes;
static inline floats zero(void) { return _mm256_setzero_ps(); }
static inline floats allf(float x) { return _mm256_set1_ps(x); }
static inline floats loadf(const float *p) { return _mm256_loadu_ps(p); }
static inline void store(float *p, floats v) { _mm256_storeu_ps(p, v); }
static inline floats halves(const void *p) { return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p)); }
static inline floats brains(const uint16_t *p) {
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)p)), 16));
}
static inline floats plus(floats a, floats b) { return _mm256_add_ps(a, b); }
static inline floats minus(floats a, floats b) { return _mm256_sub_ps(a, b); }
static inline floats times(floats a, floats b) { return _mm256_mul_ps(a, b); }
static inline floats divided(floats a, floats b) { return _mm256_div_ps(a, b); }
static inline floats fma_(floats a, floats b, floats c) { return _mm256_fmadd_ps(a, b, c); }
static inline floats where_below(floats a, floats b, floats yes, floats no) { return _mm256_blendv_ps(no, yes, _mm256_cmp_ps(a, b, _CMP_LT_OQ)); }
static inline floats larger(floats a, floats b) { return _mm256_max_ps(a, b); }
static inline lanes below(floats a, floats b) { return _mm256_cmp_ps(a, b, _CMP_LT_OQ); }
static inline int any_above(floats a, floats b) { return _mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_GT_OQ)) != 0; }
static inline floats zero_where(lanes which, floats v) { return _mm256_andnot_ps(which, v); }
static inline floats lanes_between(floats v, int64_t from, int64_t to) {
  const __m256 place = _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7);
  const __m256 inside = _mm256_and_ps(_mm256_cmp_ps(place, allf((float)from), _CMP_GE_OQ), _mm256_cmp_ps(place, allf((float)to), _CMP_LT_OQ));
  return _mm256_blendv_ps(allf(-INFINITY), v, inside);
}
static inline floats rounded(floats v) { return _mm256_round_ps(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
static inline floats scaled_by_power(floats v, floats n) {
  const __m256i power = _mm256_slli_epi32(_mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127)), 23);
  return _mm256_mul_ps(v, _mm256_castsi256_ps(power));
}
static inline floats absolute(floats v) { return _mm256_andnot_ps(allf(-0.0f), v); }
/* Each step of four: halves, then quarters, then pairs. */
static inline float sum_of(floats v) {
  __m128 x = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  x = _mm_add_ps(x, _mm_movehl_ps(x, x));
  return _mm_cvtss_f32(_mm_add_ss(x, _mm_movehdup_ps(x)));
}
static inline float largest_of(floats v) {
  __m128 x = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  x = _mm_max_ps(x, _mm_movehl_ps(x, x));
  return _mm_cvtss_f32(_mm_max_ss(x, _mm_movehdup_ps(x)));
}
static inline float first_of(floats v) { return _mm256_cvtss_f32(v); }
static inline ints load(const void *p) { return _mm256_loadu_si256((const __m256i *)p); }
static inline ints both(ints a, ints b) { return _mm256_and_si256(a, b); }
static inline ints either(ints a, ints b) { return _mm256_or_si256(a, b); }
#define LEFT(v, bits) _mm256_slli_epi16(v, bits)
#define RIGHT(v, bits) _mm256_srli_epi16(v, bits)
static inline ints all(int32_t x) { return _mm256_set1_epi32(x); }
static inline floats to_floats(ints v) { return _mm256_cvtepi32_ps(v); }
static inline ints to_ints(floats v) { return _mm256_cvtps_epi32(v); }
static inline ints small_counts(const uint8_t *p) { return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)p)); }
static inline ints small_ints(const uint8_t *p) { return _mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)p)); }
static inline ints within(ints v, int32_t low, int32_t high) { return _mm256_max_epi32(_mm256_min_epi32(v, all(high)), all(low)); }
static inline void store_bytes(int8_t *p, ints v) {
  const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
  _mm_storel_epi64((__m128i *)(void *)p, _mm_packs_epi16(words, words));
}
static inline int32_t total_of(ints v) {
  __m128i x = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
  x = _mm_add_epi32(x, _mm_shuffle_epi32(x, 0x4e));
  return _mm_cvtsi128_si32(_mm_add_epi32(x, _mm_shuffle_epi32(x, 0xb1)));
}
/* Pairs are summed in 16 bits: 2·128·127 and 2·15·127 both fit. 8-bit weights stay signed: |w| · (x with w's sign). */
static inline ints dot4(ints sum, ints w, ints x, int eight) {
  ints pairs = eight ? _mm256_maddubs_epi16(_mm256_abs_epi8(w), _mm256_sign_epi8(x, w)) : _mm256_maddubs_epi16(w, x);
  return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}
enum { EIGHT_OFFSET = 0 };
#else
#error "no instruction set that this file knows"
#endif

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

/* x / (1 + e^-x), from the smaller power: e^-|x| never overflows. */
static inline floats silu(floats x) {
  const floats small = exp_(minus(zero(), absolute(x))), one = allf(1.0f);
  return divided(times(x, where_below(x, zero(), small, one)), plus(one, small));
}

static inline float float_of(uint32_t bits) {
  float x;
  memcpy(&x, &bits, 4);
  return x;
}

/* 1 / √(mean(x²) + ε) of k numbers, a multiple of LANES. */
static inline float norm_scale(const float *x, int64_t k, float epsilon) {
  floats sum = zero();
  for (int64_t i = 0; i < k; i += LANES) sum = fma_(loadf(x + i), loadf(x + i), sum);
  return 1.0f / sqrtf(sum_of(sum) / (float)k + epsilon);
}
