import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { systemClock } from '../../src/lib/clock.ts'
import type { EngineChoice } from '../../src/search/index/open-engine.ts'
import { QueryPool } from '../../src/search/query/query-pool.ts'
import type { Searcher } from '../../src/search/query/searcher.ts'
import { askPages, documentsPathOf, indexFolderOf } from '../../test/support/local-search.ts'

export type Latency = { queries: number; p50Ms: number; p95Ms: number; p99Ms: number; maxMs: number }
/** `cpu`: what the answering thread computed, which other work on the machine lengthens less. */
export type QuietLatency = Latency & { cpuP50Ms: number; cpuP99Ms: number }

const EVERYTHING = { pages: true, images: true, videos: true }

function quantiles(times: number[]): Latency {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number): number =>
    round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)
  return { queries: times.length, p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99), maxMs: at(1) }
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100
}

/** Whole answers of all three verticals with snippets and summaries, one after the other in this thread. */
export function measureQuiet(searcher: Searcher, queries: string[]): QuietLatency {
  for (const query of queries.slice(0, 50)) timeOf(searcher, query)
  const cpu: number[] = []
  const times = queries.map((query) => {
    const before = process.threadCpuUsage()
    const took = timeOf(searcher, query)
    const { user, system } = process.threadCpuUsage(before)
    cpu.push((user + system) / 1000)
    return took
  })
  const { p50Ms, p99Ms } = quantiles(cpu)
  return { ...quantiles(times), cpuP50Ms: p50Ms, cpuP99Ms: p99Ms }
}

function timeOf(searcher: Searcher, query: string): number {
  const began = performance.now()
  askPages(searcher, query, { wants: EVERYTHING, withoutSummary: false })
  return performance.now() - began
}

/** The same while a thread indexes pages as fast as it can; what a commit makes the answering thread do counts as part of the next query. */
export async function measureBusy(searcher: Searcher, queries: string[], at: { folder: string; engine: EngineChoice }) {
  const writer = new Worker(new URL('./writer-thread.ts', import.meta.url), { workerData: at })
  const commits: number[] = []
  let pages = 0
  writer.on('message', (message: { committed: number; pages: number }) => {
    commits.push(message.committed)
    pages = message.pages
  })
  await once(writer, 'message')
  const began = performance.now()
  const times: number[] = []
  let seen = commits.length
  for (let i = 0; times.length < queries.length || commits.length < 5; i++) {
    // Lets the message of a commit in.
    await new Promise<void>((resolve) => setImmediate(resolve))
    const start = performance.now()
    if (seen < commits.length) {
      seen = commits.length
      searcher.reload(1)
    } else searcher.warm()
    times.push(performance.now() - start + timeOf(searcher, queries[i % queries.length] ?? ''))
  }
  const seconds = (performance.now() - began) / 1000
  await writer.terminate()
  return { ...quantiles(times), commits: commits.length, pagesPerSecond: Math.round(pages / seconds) }
}

/** Answers per second of the product's own pool of query threads. */
export async function measureThroughput(folder: string, engine: EngineChoice, queries: string[], threads: number) {
  const start = {
    documentsPath: documentsPathOf(folder),
    indexFolder: indexFolderOf(folder, engine),
    engine,
    safe: true,
  }
  const pool = new QueryPool(start, threads)
  await pool.reload(1)
  const request = { count: 10, offset: 0, include: [], exclude: [], withoutSummary: false, deadlineAt: Infinity }
  const ask = async (query: string) => {
    const time = { msMax: 60_000, nowMs: systemClock.now() }
    await pool.search({ ...request, query, wants: EVERYTHING }, undefined, time)
  }
  const run = async (from: number): Promise<void> => {
    for (let i = from; i < queries.length; i += threads * 2) await ask(queries[i] ?? '')
  }
  const all = async (): Promise<void> => {
    await Promise.all(Array.from({ length: threads * 2 }, async (_, from) => await run(from)))
  }
  await all()
  const began = performance.now()
  await all()
  const seconds = (performance.now() - began) / 1000
  await pool.close()
  return { threads, queriesPerSecond: Math.round(queries.length / seconds) }
}
