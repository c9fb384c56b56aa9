/**
 * Many strings without one object each: their UTF-8 bytes and where each begins and ends. A vocabulary has 50,000 to
 * 160,000 of them, and most are never looked at. Plain data: it can be sent to a thread.
 */
export type StringTable = {
  bytes: Uint8Array
  /** Begin and end of string i stand at 2i and 2i + 1. */
  bounds: Uint32Array
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

export function stringCount(table: StringTable): number {
  return table.bounds.length / 2
}

/** Bytes of string i, a view; empty where i is outside. */
export function stringBytes(table: StringTable, i: number): Uint8Array {
  return table.bytes.subarray(table.bounds[2 * i] ?? 0, table.bounds[2 * i + 1] ?? 0)
}

/** Bytes that are not UTF-8 become U+FFFD: what a token says is read from its bytes, never from here. */
export function stringAt(table: StringTable, i: number): string {
  return decoder.decode(stringBytes(table, i))
}

export function tableOf(strings: readonly string[]): StringTable {
  const encoder = new TextEncoder()
  const parts = strings.map((text) => encoder.encode(text))
  const bounds = new Uint32Array(2 * parts.length)
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const [i, part] of parts.entries()) {
    bytes.set(part, at)
    bounds[2 * i] = at
    at += part.length
    bounds[2 * i + 1] = at
  }
  return { bytes, bounds }
}
