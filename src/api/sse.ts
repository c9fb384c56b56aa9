import type { ServerResponse } from 'node:http'
import { setTimeout as timer, clearTimeout } from 'node:timers'

type Pace = { keepAliveMs: number; stallMs: number }

/**
 * Writes Server-Sent Events and waits for `drain` OR `close`: a reader that is slow holds the writer back, one that has
 * gone frees it. (WHATWG HTML, section 9.2 "Server-sent events": a line that begins with a colon is a comment.)
 */
export class EventStream {
  readonly #response: ServerResponse
  readonly #pace: Pace
  #quiet: NodeJS.Timeout | undefined

  constructor(response: ServerResponse, pace: Pace) {
    this.#response = response
    this.#pace = pace
    this.#armKeepAlive()
  }

  /** False once the client has gone: nothing more needs to be made. */
  get open(): boolean {
    return !this.#response.destroyed && !this.#response.writableEnded
  }

  /** Sends one event. Resolves when the reader has room for more, or is gone. */
  async send(payload: object | '[DONE]'): Promise<void> {
    if (!this.open) return
    clearTimeout(this.#quiet)
    const text = typeof payload === 'string' ? payload : JSON.stringify(payload)
    if (!this.#response.write(`data: ${text}\n\n`)) await this.#drained()
    this.#armKeepAlive()
  }

  end(): void {
    clearTimeout(this.#quiet)
    this.#response.end()
  }

  #drained(): Promise<void> {
    const response = this.#response
    return new Promise((resolve) => {
      // A reader that takes nothing for so long holds an account's place for nothing.
      const stalled = timer(() => response.destroy(), this.#pace.stallMs)
      const done = (): void => {
        clearTimeout(stalled)
        response.off('drain', done)
        response.off('close', done)
        resolve()
      }
      response.on('drain', done)
      response.on('close', done)
      if (response.destroyed) done()
    })
  }

  #armKeepAlive(): void {
    if (!this.open) return
    this.#quiet = timer(() => {
      if (!this.open) return
      if (!this.#response.writableNeedDrain) this.#response.write(': keep-alive\n\n')
      this.#armKeepAlive()
    }, this.#pace.keepAliveMs)
    this.#quiet.unref()
  }
}
