/** What the kernel (Linux) and the server's own metrics tell of a running server. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { childrenOf } from '../../test/support/processes.ts'

export type ProcessState = { pid: number; memoryMb: number; threads: number; files: number; sockets: number }

/** `api` is the process that was started, `engine` its child. `cells` are of the engine's caches. */
export type ServerState = {
  api: ProcessState
  engine: ProcessState
  /** Of the api process, live and dead objects. */
  heapMb: number
  running: number
  queued: number
  restarts: number
  cells: { all: number; free: number; kept: number }
}

/** Throws where the server or its engine is gone. */
export async function readServer(pid: number, metricsPort: number): Promise<ServerState> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  const metric = (name: string): number => {
    const found = new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1]
    if (found === undefined) throw new Error(`the metrics do not tell ${name}`)
    return Number(found)
  }
  const engine = enginePid(pid)
  if (engine === undefined) throw new Error('the engine has no process')
  return {
    api: readProcess(pid),
    engine: readProcess(engine),
    heapMb: megabytes(metric('nodejs_heap_size_used_bytes')),
    running: metric('unmask_engine_running'),
    queued: metric('unmask_engine_queued'),
    restarts: metric('unmask_engine_restarts'),
    cells: {
      all: metric('unmask_engine_cells'),
      free: metric('unmask_engine_cells_free'),
      kept: metric('unmask_engine_cells_kept'),
    },
  }
}

/** Processor time of the server and its children since they began, ms. */
export function readProcessorMs(pid: number): number {
  return [pid, ...childrenOf(pid, '')].reduce((sum, each) => sum + processorMs(each), 0)
}

export function enginePid(pid: number): number | undefined {
  return childrenOf(pid, 'engine/worker.ts')[0]
}

function readProcess(pid: number): ProcessState {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const field = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1])
  const files = readdirSync(`/proc/${pid}/fd`)
  const sockets = files.filter((file) => linkOf(`/proc/${pid}/fd/${file}`).startsWith('socket:'))
  return {
    pid,
    memoryMb: megabytes(field('VmRSS') * 1024),
    threads: field('Threads'),
    files: files.length,
    sockets: sockets.length,
  }
}

/** The kernel counts in ticks of 10 ms wherever Node runs. */
const TICK_MS = 10

function processorMs(pid: number): number {
  try {
    // The name in brackets may hold spaces; user and system time are fields 14 and 15.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS
  } catch {
    // It has ended since it was listed.
    return 0
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    // Closed since it was listed.
    return ''
  }
}

function megabytes(bytes: number): number {
  return Number((bytes / 1e6).toFixed(1))
}
