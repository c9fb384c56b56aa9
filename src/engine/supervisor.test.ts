import { deepEqual, equal } from 'node:assert/strict'
import { join } from 'node:path'
import { afterEach, describe, test } from 'node:test'
import { isRunning } from '../../test/support/processes.ts'
import { temporaryFolder } from '../../test/support/tiny-models.ts'
import { silentLog } from '../lib/log.ts'
import { Supervisor } from './supervisor.ts'
import type { Opening } from './wire.ts'

const worker = new URL('../../test/support/fragile-worker.ts', import.meta.url)
const opening: Opening = {
  models: {},
  threads: 1,
  runningMax: 1,
  queueMax: 1,
  kernel: 'ggml',
  cacheTokens: 64,
  prefillChunk: 32,
  streamIdleMs: 1000,
  cacheFolder: '',
  kernelFolders: [],
}
const node = process.execPath
afterEach(() => {
  process.execPath = node
})

describe('a process that cannot be started', () => {
  const paths: Record<string, [path: string, reason: RegExp]> = {
    'told by an event': [join(temporaryFolder(), 'nothing'), /ENOENT/],
    // A file is no folder: this one `fork` throws.
    'told by an exception': [join(import.meta.filename, 'nothing'), /ENOTDIR/],
  }
  for (const [name, [path, reason]] of Object.entries(paths)) {
    test(`${name}: one other is started`, async () => {
      const deaths: string[] = []
      const { promise: opened, resolve } = Promise.withResolvers<void>()
      process.execPath = path
      const supervisor = new Supervisor({
        worker,
        opening,
        log: silentLog,
        hear: (message) => message.kind === 'opened' && resolve(),
        died: (how) => {
          deaths.push(how)
          process.execPath = node
        },
      })
      await opened
      deepEqual([deaths.length, supervisor.restarts, supervisor.state], [1, 1, 'ready'])
      equal(reason.test(deaths[0] ?? ''), true)
      const { pid } = supervisor
      await supervisor.stop()
      equal(isRunning(pid ?? 0), false)
    })
  }
})
