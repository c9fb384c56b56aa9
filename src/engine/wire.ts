/** What is said between the API's process and the engine's child process. Structured-clone safe. */
import type { LogFields } from '../lib/log.ts'
import type { GenerateEvent, GenerateRequest, ModelCard } from './messages.ts'

export type Opening = {
  /** Model id → absolute path. */
  models: Record<string, string>
  /** Where checksums that were verified once are remembered. */
  cacheFolder: string
  kernel: 'auto' | 'ggml'
  /** Where the compiled kernel may be; the first that can be written keeps it. */
  kernelFolders: string[]
  threads: number | 'auto'
  cacheTokens: number | 'auto'
  queueMax: number
  runningMax: number
  prefillChunk: number
  streamIdleMs: number
}

export type ToWorker =
  | { kind: 'open'; opening: Opening }
  | { kind: 'generate'; request: GenerateRequest }
  | { kind: 'cancel'; id: string }
  /** The reader of this reply is behind (or has caught up). */
  | { kind: 'pause'; id: string; paused: boolean }

export type WorkerStats = {
  running: number
  queued: number
  threads: number
  forwards: number
  forwardMs: number
  forwardRows: number
  /** Of all models' caches: all, those nobody holds, and those of kept beginnings. */
  cells: number
  cellsFree: number
  cellsKept: number
}

export type FromWorker =
  | { kind: 'opened'; models: ModelCard[]; stats: WorkerStats }
  /** The models cannot be opened: a sentence. Trying again would not help. */
  | { kind: 'refused'; sentence: string }
  /** Sent before the first forward of these requests is computed: if the process dies, it may have died of them. */
  | { kind: 'began'; ids: string[] }
  | { kind: 'events'; events: [id: string, event: GenerateEvent][]; stats: WorkerStats }
  /** Once a second: the event loop is alive. */
  | { kind: 'beat'; stats: WorkerStats }
  | { kind: 'log'; level: 'debug' | 'info' | 'warn' | 'error'; event: string; fields: LogFields }
