import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Exemption } from '../../lib/net/guard.ts'
import type { FetchLimits } from '../../lib/net/guarded-fetch.ts'
import type { Header } from '../../lib/net/headers.ts'
import type { Resolve } from '../../lib/net/resolve.ts'
import type { CopyPlace, PageDocument } from '../document.ts'
import type { CrawlerOptions } from './options.ts'
import type { ScopeKind } from './scope.ts'

/** A page as extraction gets it. */
export type FetchedPage = {
  /** Normalised; redirects have been followed. */
  url: string
  /** As sent, with parameters. */
  contentType: string
  headers: readonly Header[]
  /** Epoch ms. */
  fetchedAt: number
  firstSeenAt: number
  /** Content encoding undone. */
  body: Uint8Array
  /** `body` as text where it is HTML or plain text; absent for PDF. */
  text?: string
}

export type Extraction = { kind: 'document'; document: PageDocument } | { kind: 'none'; reason: string }

export type CrawlJob = {
  /** Absolute URLs as people write them; "example.org" alone means https. */
  seeds: readonly string[]
  /** Pages to keep at most. */
  pagesMax: number
  /** Links from a seed at most; 0 keeps the seeds alone. */
  depthMax: number
  scope: ScopeKind
}

export type CrawlProgress = {
  /** The URL that was last finished. */
  url: string
  kept: number
  fetched: number
  waiting: number
  bytes: number
}

type CrawlSummary = {
  kept: number
  fetched: number
  bytes: number
  /** How many URLs ended in which state (`kept`, `failed`, `disallowed`, …). */
  states: Record<string, number>
  /** Hosts that were left before their URLs were done, and why. */
  givenUp: { host: string; reason: string }[]
}

export type CrawlEnd =
  /** Nothing was asked: the sentence tells the operator what to do. */
  | { kind: 'refused'; sentence: string }
  /** `aborted`: by the signal; the same job goes on from there. */
  | ({ kind: 'ended'; why: 'empty' | 'pages_max' | 'aborted'; resumed: boolean } & CrawlSummary)

export type CrawlerDeps = {
  /** `<data>/search`: holds `warc/` and `frontier.db`. */
  folder: string
  options: CrawlerOptions
  /** May take its time and fail; never called for what is no HTML, text or PDF. */
  extract(page: FetchedPage, signal: AbortSignal): Promise<Extraction>
  /** Called again with the same document after a crash. */
  keep(document: PageDocument, place: CopyPlace): void | Promise<void>
  /** The page is gone, or asks not to be indexed. */
  remove(url: string): void | Promise<void>
  clock: Clock
  log: Log
  /** Ends early when the signal aborts; never rejects. */
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>
  resolve?: Resolve
  /** Times and sizes of one request, where they differ from `lib/net`'s. */
  limits?: Partial<FetchLimits>
  /** The server's own origin: no delay, no contact needed. */
  exempt?: readonly Exemption[]
}

export type Crawler = {
  /** Crawls until the job is done or `signal` aborts. An unfinished run of the same job is gone on with; runs wait for one another. */
  run(job: CrawlJob, signal: AbortSignal, onProgress: (progress: CrawlProgress) => void): Promise<CrawlEnd>
  /** Waits for the last run: abort it first. */
  close(): Promise<void>
}
