import type { EngineChoice } from '../index/open-engine.ts'
import type { CommitRule } from './index-loop.ts'

export type IndexingStart = {
  documentsPath: string
  indexFolder: string
  engine: EngineChoice
  commit: CommitRule
}

export type ToIndexer = { kind: 'wake' } | { kind: 'rebuild' } | { kind: 'close' }

export type FromIndexer =
  /** Readers of this generation see more: all changes up to `watermark`. */
  | { kind: 'committed'; generation: number; watermark: number }
  /** Another generation answers from here on. */
  | { kind: 'promoted'; generation: number; watermark: number }
  /** Everything kept is in the index. */
  | { kind: 'idle'; watermark: number }
  /** Another process writes this index; this one only reads until the other ends. Told again and again. */
  | { kind: 'waiting'; generation: number | undefined }
  | { kind: 'graph'; pages: number; ms: number }
  | { kind: 'failed'; message: string }
