import { type ChildProcess, fork } from 'node:child_process'
import type { Log } from '../lib/log.ts'
import type { FromWorker, Opening, ToWorker } from './wire.ts'

/** No sign of life for this long: its event loop hangs, and it is ended. */
const SILENCE_MS = 10_000
/** Loading large models is one long silence. */
const OPENING_MS = 600_000
/** A process that lived shorter than this has not recovered: the next one waits, longer each time. */
const SHORT_LIFE_MS = 10_000
const PAUSE_MS_FIRST = 250
const PAUSE_MS_MAX = 30_000

export type SupervisorParts = {
  /** The program of the child. */
  worker: URL
  opening: Opening
  log: Log
  hear(message: FromWorker): void
  /** The child ended without being asked to. All its messages were heard before. */
  died(how: string): void
}

export type SupervisorState = 'starting' | 'ready' | 'restarting' | 'stopped'

/**
 * Keeps one child process alive: starts it, listens for its heart, starts another at once when it dies, with growing
 * pauses when that does not help. A child that refuses its models is not started again.
 */
export class Supervisor {
  readonly #parts: SupervisorParts
  #child: ChildProcess | undefined
  #state: SupervisorState = 'starting'
  #restarts = 0
  #shortLives = 0
  #bornAt = 0
  #watchdog: NodeJS.Timeout | undefined
  #rebirth: NodeJS.Timeout | undefined
  #gone = Promise.withResolvers<void>()

  constructor(parts: SupervisorParts) {
    this.#parts = parts
    this.#start()
  }

  get state(): SupervisorState {
    return this.#state
  }

  get restarts(): number {
    return this.#restarts
  }

  /** Of the running child, for tests that end it. */
  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** Dropped where there is no child: whoever waits for an answer hears of its death. */
  send(message: ToWorker): void {
    const child = this.#child
    if (child?.connected === true) child.send(message, () => {})
  }

  /** Ends the child now and starts no other. */
  async stop(): Promise<void> {
    this.#state = 'stopped'
    clearTimeout(this.#rebirth)
    if (this.#child === undefined) return
    this.#child.kill('SIGKILL')
    await this.#gone.promise
  }

  #start(): void {
    this.#bornAt = performance.now()
    try {
      this.#listen(this.#fork())
    } catch (error) {
      // Some failures have no event. The owner hears of them as late as of the others: it may still be making this object.
      queueMicrotask(() => this.#ended(undefined, this.#failed(error)))
    }
  }

  #fork(): ChildProcess {
    return fork(this.#parts.worker, {
      serialization: 'advanced',
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      execArgv: [],
    })
  }

  #listen(child: ChildProcess): void {
    this.#child = child
    this.#gone = Promise.withResolvers<void>()
    this.#watch(OPENING_MS)
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => this.#logOutput(text))
    }
    child.on('message', (message: FromWorker) => this.#hear(message))
    child.on('error', (error) => {
      const reason = this.#failed(error)
      // It could not be started: its `close` may follow, but knows no reason.
      if (child.pid === undefined) this.#ended(child, reason)
    })
    // `close` comes after the last message and the last output.
    child.on('close', (code, signal) => this.#ended(child, signal ?? `exit code ${code}`))
    this.send({ kind: 'open', opening: this.#parts.opening })
  }

  #failed(error: unknown): string {
    const reason = error instanceof Error ? error.message : String(error)
    this.#parts.log.error('engine_process_error', { reason })
    return reason
  }

  #hear(message: FromWorker): void {
    // What was on its way when the child was ended must not bring it back to life.
    if (this.#state === 'stopped') return
    if (message.kind === 'opened') this.#state = 'ready'
    if (message.kind === 'refused') this.#state = 'stopped'
    if (this.#state === 'ready') this.#watch(SILENCE_MS)
    this.#parts.hear(message)
    if (message.kind === 'refused') this.#child?.kill('SIGKILL')
  }

  #watch(ms: number): void {
    clearTimeout(this.#watchdog)
    this.#watchdog = setTimeout(() => {
      this.#parts.log.error('engine_silent', { ms })
      this.#child?.kill('SIGKILL')
    }, ms)
    this.#watchdog.unref()
  }

  #logOutput(text: string): void {
    for (const line of text.split('\n')) if (line !== '') this.#parts.log.warn('engine_output', { line })
  }

  /** Once for each child, whatever it says about its end; undefined for one that never was. */
  #ended(child: ChildProcess | undefined, how: string): void {
    if (child !== this.#child) return
    clearTimeout(this.#watchdog)
    clearTimeout(this.#rebirth)
    this.#child = undefined
    this.#gone.resolve()
    if (this.#state === 'stopped') return
    this.#state = 'restarting'
    this.#restarts++
    const livedMs = performance.now() - this.#bornAt
    this.#shortLives = livedMs < SHORT_LIFE_MS ? this.#shortLives + 1 : 0
    const pauseMs = this.#shortLives < 2 ? 0 : Math.min(PAUSE_MS_MAX, PAUSE_MS_FIRST * 2 ** (this.#shortLives - 2))
    this.#parts.log.error('engine_died', { how, livedMs: Math.round(livedMs), pauseMs })
    this.#parts.died(how)
    this.#rebirth = setTimeout(() => this.#start(), pauseMs)
  }
}
