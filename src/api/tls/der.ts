/** The few forms of DER (ITU-T X.690) that a certificate is written in. */

const TAG = {
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  null: 0x05,
  oid: 0x06,
  utf8: 0x0c,
  utcTime: 0x17,
  time: 0x18,
} as const
const SEQUENCE = 0x30
const SET = 0x31

function tagged(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag]), length(content.length), content])
}

function length(bytes: number): Buffer {
  if (bytes < 0x80) return Buffer.from([bytes])
  const digits: number[] = []
  for (let rest = bytes; rest > 0; rest = Math.floor(rest / 256)) digits.unshift(rest % 256)
  return Buffer.from([0x80 | digits.length, ...digits])
}

export const sequence = (...parts: Uint8Array[]): Buffer => tagged(SEQUENCE, ...parts)
export const set = (...parts: Uint8Array[]): Buffer => tagged(SET, ...parts)
export const utf8 = (text: string): Buffer => tagged(TAG.utf8, Buffer.from(text))
export const octets = (content: Uint8Array): Buffer => tagged(TAG.octets, content)
export const boolean = (value: boolean): Buffer => Buffer.from([0x01, 0x01, value ? 0xff : 0x00])

/** Context-specific tag `[number]`; `constructed` where its content is itself DER. */
export function context(number: number, content: Uint8Array, constructed: boolean): Buffer {
  return tagged(0x80 | (constructed ? 0x20 : 0) | number, content)
}

/** A whole number of 0 or more, given as its big-endian bytes: minimal, and never read as negative. */
export function integer(bytes: Uint8Array): Buffer {
  let start = 0
  while (start < bytes.length - 1 && bytes[start] === 0) start++
  const digits = bytes.subarray(start)
  return tagged(TAG.integer, Buffer.from((digits[0] ?? 0) >= 0x80 ? [0] : []), digits)
}

/** Named bits are written without the zeros at their end (X.690, 11.2.2), so the caller tells how many are unused. */
export function bits(content: Uint8Array, unused = 0): Buffer {
  return tagged(TAG.bits, Buffer.from([unused]), content)
}

export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return tagged(TAG.oid, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]))
}

function base128(arc: number): number[] {
  const digits = [arc % 128]
  for (let rest = Math.floor(arc / 128); rest > 0; rest = Math.floor(rest / 128)) digits.unshift(0x80 | (rest % 128))
  return digits
}

/** RFC 5280, 4.1.2.5: UTCTime through 2049, GeneralizedTime from then on; whole seconds, Z. */
export function time(epochMs: number): Buffer {
  const digits = new Date(epochMs).toISOString().replace(/[-:T]|\.\d+/g, '')
  const early = Number(digits.slice(0, 4)) < 2050
  return tagged(early ? TAG.utcTime : TAG.time, Buffer.from(early ? digits.slice(2) : digits))
}
