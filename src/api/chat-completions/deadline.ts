import { ApiError } from '../errors.ts'

/**
 * A signal that aborts when the caller's does or when `ms` have passed. The engine keeps the deadline itself; this one
 * holds also when the engine hangs: `guard` stops waiting for it.
 */
export function deadlineSignal(ms: number, caller: AbortSignal) {
  const controller = new AbortController()
  let passed = false
  const timer = setTimeout(() => {
    passed = true
    controller.abort()
  }, ms)
  const leave = (): void => controller.abort()
  caller.addEventListener('abort', leave, { once: true })
  if (caller.aborted) leave()

  const stopped = new Promise<'stopped'>((resolve) => {
    controller.signal.addEventListener('abort', () => resolve('stopped'), { once: true })
    if (controller.signal.aborted) resolve('stopped')
  })

  return {
    signal: controller.signal,
    passed: () => passed,
    /** The time no longer counts; the caller's leaving still does. */
    lift: () => clearTimeout(timer),
    /** The same events, but ends at once when the signal aborts, whatever the source does. */
    async *guard<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
      const events = source[Symbol.asyncIterator]()
      try {
        for (;;) {
          const next = await Promise.race([events.next(), stopped])
          if (next === 'stopped') throw passed ? new ApiError('timed_out') : caller.reason
          if (next.done === true) return
          yield next.value
        }
      } finally {
        caller.removeEventListener('abort', leave)
        // Every reply ends here; without a reason Node makes an error with a stack trace that nobody reads.
        controller.abort('over')
        // Not awaited: a source that hangs would hold this up for ever.
        void events.return?.().catch(() => undefined)
      }
    },
  }
}
