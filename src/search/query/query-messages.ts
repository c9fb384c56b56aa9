import type { EngineChoice } from '../index/open-engine.ts'
import type { SearchAnswer, SearchRequest } from '../search.ts'
import type { CandidateList } from './candidate-list.ts'

export type QueryStart = { documentsPath: string; indexFolder: string; engine: EngineChoice; safe: boolean }

export type IndexCounts = { pages: number; images: number; videos: number; bytes: number; watermark: number }

export type ToQuery =
  /** `list`: what an earlier page of the same query found. `msMax`: time left. */
  | { kind: 'search'; id: number; request: SearchRequest; list?: CandidateList; msMax: number; nowMs: number }
  /** A commit or another generation: look again. */
  | { kind: 'reload'; generation: number; nonce: number }
  | { kind: 'close' }

export type FromQuery =
  | { kind: 'answer'; id: number; answer: SearchAnswer; list: CandidateList }
  | { kind: 'failed'; id: number; message: string }
  | { kind: 'reloaded'; nonce: number; counts: IndexCounts }
  | { kind: 'unread'; nonce: number; message: string }
