/** A reading thread that does what the page's text says: for the tests of the pool. */
import { parentPort } from 'node:worker_threads'

parentPort?.on('message', ({ url, text }: { url: string; text: string }) => {
  if (text === 'hang') for (;;) if (performance.now() < 0) break
  if (text === 'exit') process.exit(3)
  if (text === 'throw') throw new Error('thrown in a thread')
  if (text === 'eat') {
    const eaten: number[][] = []
    for (;;) eaten.push(Array.from({ length: 100_000 }, (_, i) => i * 1.5))
  }
  parentPort?.postMessage({ kind: 'none', reason: `read ${url}` })
})
