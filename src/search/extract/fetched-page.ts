import type { PageDocument } from '../document.ts'

/** A page as the crawler fetched it; plain data, so that it can go to another thread. Times are epoch ms. */
export type FetchedPage = {
  /** Normalised; redirects have been followed. */
  url: string
  /** As sent, with parameters. */
  contentType: string
  headers: readonly [name: string, value: string][]
  fetchedAt: number
  firstSeenAt: number
  /** Content encoding undone. */
  body: Uint8Array
  /** `body` as text where it is HTML or plain text; absent for PDF. */
  text?: string
}

export type Extraction = { kind: 'document'; document: PageDocument } | { kind: 'none'; reason: string }
