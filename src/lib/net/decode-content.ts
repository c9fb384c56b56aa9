import { promisify } from 'node:util'
import { brotliDecompress, constants, gunzip, inflate, inflateRaw, zstdDecompress } from 'node:zlib'

const gunzipAsync = promisify(gunzip)
const inflateAsync = promisify(inflate)
const inflateRawAsync = promisify(inflateRaw)
const brotliAsync = promisify(brotliDecompress)
const zstdAsync = promisify(zstdDecompress)

/** What we say we read, and read. */
export const ACCEPT_ENCODING = 'gzip, deflate, br, zstd'

/** Honest pages stay far below this; bombs begin far above it. */
const RATIO_MAX = 100
/** Below this size no ratio is a danger: a short repetitive page may well shrink more. */
const RATIO_FREE_BYTES = 1_048_576
/** Encodings on one another. More has no use but to hide something. */
const LAYERS_MAX = 2

export type Decoded =
  | { kind: 'decoded'; bytes: Uint8Array }
  | { kind: 'failed'; reason: 'bomb' | 'too_long' | 'encoding' }

/**
 * Undoes `Content-Encoding` (RFC 9110 §8.4): gzip, deflate (zlib, and raw as some servers send it), br, zstd. A body cut
 * short gives what could be read. Output is bounded by `bytesMax` and by 100 times the input.
 */
export async function decodeContent(body: Uint8Array, encoding: string, bytesMax: number): Promise<Decoded> {
  const layers = encoding
    .toLowerCase()
    .split(',')
    .map((layer) => layer.trim())
    .filter((layer) => layer !== '' && layer !== 'identity')
  if (layers.length > LAYERS_MAX) return { kind: 'failed', reason: 'encoding' }
  const ratioMax = Math.max(RATIO_FREE_BYTES, body.length * RATIO_MAX)
  let bytes = body
  for (const layer of layers.toReversed()) {
    try {
      bytes = await decodeLayer(bytes, layer, Math.min(bytesMax, ratioMax))
    } catch (error) {
      const tooLong = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
      if (!tooLong) return { kind: 'failed', reason: 'encoding' }
      return { kind: 'failed', reason: ratioMax < bytesMax ? 'bomb' : 'too_long' }
    }
  }
  return bytes.length > bytesMax ? { kind: 'failed', reason: 'too_long' } : { kind: 'decoded', bytes }
}

function decodeLayer(bytes: Uint8Array, layer: string, maxOutputLength: number): Promise<Uint8Array> | Uint8Array {
  if (bytes.length === 0) return bytes
  const zlib = { maxOutputLength, finishFlush: constants.Z_SYNC_FLUSH }
  const [first = 0, second = 0] = bytes
  if (layer === 'gzip' || layer === 'x-gzip') {
    // Some servers name gzip and send the page as it is.
    return first === 0x1f && second === 0x8b ? gunzipAsync(bytes, zlib) : bytes
  }
  if (layer === 'deflate') {
    const hasZlibHeader = (first & 15) === 8 && (first * 256 + second) % 31 === 0
    return hasZlibHeader ? inflateAsync(bytes, zlib) : inflateRawAsync(bytes, zlib)
  }
  if (layer === 'br') return brotliAsync(bytes, { maxOutputLength, finishFlush: constants.BROTLI_OPERATION_FLUSH })
  if (layer === 'zstd') return zstdAsync(bytes, { maxOutputLength, finishFlush: constants.ZSTD_e_flush })
  throw new Error(`unknown content encoding "${layer}"`)
}
