import type { EventStream } from './sse.ts'

/** What a handler gives back; the server alone touches the socket. */
export type Answer =
  | { kind: 'json'; status?: number; body: unknown; headers?: Record<string, string> }
  | { kind: 'text'; status?: number; type: string; text: string; headers?: Record<string, string> }
  | { kind: 'bytes'; type: string; bytes: Uint8Array; headers?: Record<string, string> }
  | { kind: 'redirect'; to: string }
  /** The head is written with status 200, then `send` is called exactly once; it must not throw. */
  | { kind: 'events'; headers?: Record<string, string>; send: (stream: EventStream) => Promise<void> }
