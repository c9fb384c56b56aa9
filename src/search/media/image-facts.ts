import { imageSize } from 'image-size'

export type ImageFacts = {
  width: number
  height: number
  /** `jpeg`, `png`, `webp`, `gif`, `svg`, `avif`, … */ format: string
}

/** So many bytes are looked at: sizes stand at the beginning, behind a camera's metadata at most. */
const BYTES_MAX = 262_144
const SIDE_MAX = 65_535
const NAMES: Record<string, string> = { jpg: 'jpeg', tif: 'tiff', heif: 'avif' }

/** Size in pixels as shown (a camera's turn counts) and format, from a picture's first bytes. Undefined for anything else. */
export function readImageFacts(bytes: Uint8Array): ImageFacts | undefined {
  try {
    const { width, height, type = '', orientation = 1 } = imageSize(bytes.subarray(0, BYTES_MAX))
    if (!isSide(width) || !isSide(height)) return undefined
    const turned = orientation >= 5 && orientation <= 8
    const size = turned ? { width: height, height: width } : { width, height }
    return { ...size, format: NAMES[type] ?? type }
  } catch {
    // What is no picture, or a broken one, has no size.
    return undefined
  }
}

function isSide(value: number): boolean {
  return Number.isInteger(value) && value > 0 && value <= SIDE_MAX
}
