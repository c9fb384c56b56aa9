/** ggml's numbers of the element types that graphs and files here use (ggml.h, `enum ggml_type`). */
export const ELEMENT_TYPES = {
  F32: 0,
  F16: 1,
  Q4_0: 2,
  Q4_1: 3,
  Q5_0: 6,
  Q5_1: 7,
  Q8_0: 8,
  Q4_K: 12,
  Q5_K: 13,
  Q6_K: 14,
  I8: 24,
  I32: 26,
  I64: 27,
  BF16: 30,
} as const

export type ElementType = keyof typeof ELEMENT_TYPES
