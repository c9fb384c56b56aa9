import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { LinkRecord, PageDocument } from '../document.ts'

/** What of a page is read only when the page is shown or indexed. */
export type Body = {
  text: string
  description: string
  headings: string[]
  author?: string
}

/** A link as kept: its address, what it says, and whether it stands in navigation. Links that say `nofollow` are not kept. */
export type KeptLink = [url: string, anchor: string, navigation: 0 | 1]

const LINKS_MAX = 500
const ANCHOR_MAX = 120
/** Level 1 packs text to a third at some 300 MB/s; higher levels gain little. */
const PACKED = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

export function packBody(page: PageDocument): Uint8Array {
  const { text, description, headings, author } = page
  const body: Body = { text, description, headings, ...(author === undefined ? {} : { author }) }
  return pack(body)
}

export function unpackBody(bytes: Uint8Array): Body {
  return unpack(bytes) as Body
}

export function packLinks(page: PageDocument): Uint8Array {
  const kept = new Map<string, KeptLink>()
  for (const link of page.nofollow ? [] : page.links) {
    if (link.nofollow || link.url === page.url || kept.size >= LINKS_MAX) continue
    const before = kept.get(link.url)
    if (before === undefined || before[1] === '') kept.set(link.url, keep(link))
  }
  return pack([...kept.values()])
}

function keep(link: LinkRecord): KeptLink {
  return [link.url, link.anchor.slice(0, ANCHOR_MAX), link.navigation ? 1 : 0]
}

export function unpackLinks(bytes: Uint8Array): KeptLink[] {
  return unpack(bytes) as KeptLink[]
}

function pack(value: unknown): Uint8Array {
  return zstdCompressSync(JSON.stringify(value), PACKED)
}

function unpack(bytes: Uint8Array): unknown {
  return JSON.parse(zstdDecompressSync(bytes).toString('utf8'))
}
