import sharp from 'sharp'

/** A picture larger than this is not opened: it would take the memory of many. */
const PIXELS_MAX = 50_000_000
const SECONDS_MAX = 5

// One picture at a time a thread, and nothing kept: pictures are rare guests here, the threads belong to others.
sharp.cache(false)
sharp.concurrency(1)

export type Box = { width: number; height: number }

/**
 * The first frame of a picture (JPEG, PNG, WebP, GIF, AVIF, TIFF, SVG) inside `box`, never enlarged, upright, without its metadata:
 * WebP where it is a photograph, PNG where `lossless`. Undefined where the bytes are no picture that can be opened in time.
 */
export async function shrinkPicture(bytes: Uint8Array, box: Box, lossless: boolean): Promise<Uint8Array | undefined> {
  const options = { limitInputPixels: PIXELS_MAX, failOn: 'none', animated: false } as const
  try {
    const small = sharp(bytes, options)
      .timeout({ seconds: SECONDS_MAX })
      .rotate()
      .resize({ ...box, fit: 'inside', withoutEnlargement: true })
    return await (lossless ? small.png({ compressionLevel: 9 }) : small.webp({ quality: 78 })).toBuffer()
  } catch {
    return undefined
  }
}
