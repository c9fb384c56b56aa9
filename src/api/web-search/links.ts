import { createHmac, timingSafeEqual } from 'node:crypto'

/** Where links of a result lead that point to this server. */
export type Links = {
  /** The place of a result's id: `{base}/api/v1/#WebPages.3`. */
  id(fragment: string): string
  page(kind: PageKind, anchor?: string): string
  readLink(kind: 'images' | 'videos'): string
  copy(copyId: string): string
  thumbnail(url: string): string
  icon(url: string): string
}
export type PageKind = 'web' | 'images' | 'videos'
type Asked = { query: string; freshness: string | undefined }

/** `key` signs addresses of pictures, so that this server fetches only those that it named itself. */
export function createLinks(baseUrl: string, key: Uint8Array, asked: Asked): Links {
  const parameters = (name: string): URLSearchParams =>
    new URLSearchParams([
      [name, asked.query],
      ...(asked.freshness === undefined ? [] : [['freshness', asked.freshness]]),
    ])
  const picture = (kind: PictureKind, url: string): string =>
    `${baseUrl}/${kind}/${signPicture(kind, url, key)}?${new URLSearchParams({ url }).toString()}`
  return {
    id: (fragment) => `${baseUrl}/api/v1/#${fragment}`,
    page(kind, anchor) {
      const search = parameters('q')
      if (kind !== 'web') search.set('type', kind)
      return `${baseUrl}/search?${search.toString()}${anchor === undefined ? '' : `#${anchor}`}`
    },
    readLink: (kind) => `${baseUrl}/api/v1/${kind}?${parameters('query').toString()}`,
    copy: (copyId) => `${baseUrl}/copy/${encodeURIComponent(copyId)}`,
    thumbnail: (url) => picture('thumb', url),
    icon: (url) => picture('icon', url),
  }
}

export type PictureKind = 'thumb' | 'icon'

/** 128 bits of HMAC-SHA256 over kind and address. */
function signPicture(kind: PictureKind, url: string, key: Uint8Array): string {
  return createHmac('sha256', key).update(`${kind}\n${url}`).digest().subarray(0, 16).toString('base64url')
}

export function isSigned(kind: PictureKind, url: string, signature: string, key: Uint8Array): boolean {
  const expected = Buffer.from(signPicture(kind, url, key))
  const given = Buffer.from(signature)
  return given.length === expected.length && timingSafeEqual(given, expected)
}
