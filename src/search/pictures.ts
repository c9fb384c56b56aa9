/**
 * The door to pictures that pages point to: thumbnails and site icons, fetched on demand and kept small. Types and sizes
 * only; `open-pictures.ts` constructs it.
 */

export type Picture = { type: string; bytes: Uint8Array }

export interface Pictures {
  /** The picture at `url` inside `THUMBNAIL_BOX`. Undefined where it cannot be had, or is none. */
  thumbnail(url: string, signal: AbortSignal): Promise<Picture | undefined>
  /** The icon at `url`, at most 64 pixels a side. */
  icon(url: string, signal: AbortSignal): Promise<Picture | undefined>
  close(): Promise<void>
}

export const THUMBNAIL_BOX = { width: 480, height: 360 } as const

/** Pixels of the thumbnail of a picture of this size: inside the box, in its own proportions, never enlarged. */
export function thumbnailSize(width: number, height: number): { width: number; height: number } {
  const scale = Math.min(1, THUMBNAIL_BOX.width / width, THUMBNAIL_BOX.height / height)
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}
