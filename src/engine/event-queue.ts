import type { GenerateEvent } from './messages.ts'

/** Over this many unread events the reply is paused, under the lower one it goes on. Text that waits is one event. */
const PAUSE_ABOVE = 256
const RESUME_BELOW = 64

/**
 * Events of one reply between the engine and a reader of any speed. Unread texts grow together into one, so what waits
 * is bounded by the reply itself; unread steps make `flow` tell the engine to pause.
 */
export class EventQueue {
  #events: GenerateEvent[] = []
  #wake: (() => void) | undefined
  #paused = false
  readonly #flow: (paused: boolean) => void

  constructor(flow: (paused: boolean) => void) {
    this.#flow = flow
  }

  push(event: GenerateEvent): void {
    const last = this.#events.at(-1)
    if (event.kind === 'text' && last?.kind === 'text') this.#events[this.#events.length - 1] = join(last, event)
    else this.#events.push(event)
    this.#wake?.()
    if (!this.#paused && this.#events.length > PAUSE_ABOVE) this.#setPaused(true)
  }

  /** The next event, as soon as there is one. One reader. */
  async next(): Promise<GenerateEvent> {
    for (;;) {
      const event = this.#events.shift()
      if (event !== undefined) {
        if (this.#paused && this.#events.length < RESUME_BELOW) this.#setPaused(false)
        return event
      }
      await new Promise<void>((resolve) => (this.#wake = resolve))
      this.#wake = undefined
    }
  }

  #setPaused(paused: boolean): void {
    this.#paused = paused
    this.#flow(paused)
  }
}

function join(a: { kind: 'text'; text: string }, b: { kind: 'text'; text: string }): GenerateEvent {
  return { kind: 'text', text: a.text + b.text }
}
