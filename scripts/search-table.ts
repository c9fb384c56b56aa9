/** bench/results/search.json as the table of the README. */

type Latency = { queries: number; p50Ms: number; p99Ms: number }
type QuietLatency = Latency & { cpuP50Ms: number; cpuP99Ms: number }
type Indexing = { pages: number; pagesPerCpuSecond: number }
type Known = { titles: number; middles: number; sample: number; oneOnly: { middles: number; sample: number } }
type Search = {
  cpu: string
  cores: number
  /** Processes that wanted to compute when it began. */
  load: number
  ranking?: { queries: number; pages: number; ndcg: { tantivy: number; sqlite: number; fts5Porter: number } }
  pages?: {
    indexing: Indexing & { again: Indexing; sqlite: Indexing }
    latency: { quiet: QuietLatency; busy: Latency; sqlite: QuietLatency }
    throughput: { threads: number; queriesPerSecond: number }
    known: { tantivy: Known; sqlite: Known }
  }
}

/** Both engines side by side; a part that was not measured is left out. */
export function renderSearch(result: Record<string, unknown>): string {
  const { cpu, cores, load, ranking, pages } = result as Search
  const rows: [label: string, tantivy: string, sqlite: string][] = []
  if (ranking !== undefined) {
    const { tantivy, sqlite } = ranking.ndcg
    rows.push([`nDCG@10, Cranfield, ${ranking.queries} queries`, String(tantivy), String(sqlite)])
  }
  if (pages !== undefined) rows.push(...pageRows(pages))
  const peer =
    ranking === undefined
      ? ''
      : `SQLite FTS5 by itself, with Porter’s stems, reaches ${ranking.ndcg.fts5Porter} on Cranfield. `
  return [
    '| | Tantivy | SQLite |',
    '|---|---|---|',
    ...rows.map((cells) => `| ${cells.join(' | ')} |`),
    '',
    `${peer}Measured by \`./unmask bench search\` on ${cores} cores (${cpu}) ${loadOf(load, cores)}.`,
  ].join('\n')
}

function pageRows({ indexing, latency, throughput, known }: NonNullable<Search['pages']>): [string, string, string][] {
  const { quiet, busy, sqlite } = latency
  const count = indexing.pages.toLocaleString('en')
  return [
    [`Pages kept and indexed per second of processor time, of ${count}`, String(indexing.pagesPerCpuSecond), ''],
    [
      'Kept pages indexed again per second of processor time',
      String(indexing.again.pagesPerCpuSecond),
      String(indexing.sqlite.pagesPerCpuSecond),
    ],
    ['Answer to one to three words, median', `${quiet.p50Ms} ms`, `${sqlite.p50Ms} ms`],
    ['The same, 99th percentile', `${quiet.p99Ms} ms`, `${sqlite.p99Ms} ms`],
    ['The same, time of the processor only', `${quiet.cpuP99Ms} ms`, `${sqlite.cpuP99Ms} ms`],
    ['99th percentile while a writer indexes', `${busy.p99Ms} ms`, ''],
    [`Answers per second, ${throughput.threads} threads`, String(throughput.queriesPerSecond), ''],
    ['A page found by its title, MRR', String(known.tantivy.titles), String(known.sqlite.titles)],
    ['A page found by eight words of it, MRR', String(known.tantivy.middles), String(known.sqlite.middles)],
    [
      `The same, for the ${known.tantivy.oneOnly.sample} of ${known.tantivy.sample} whose words no other page has`,
      String(known.tantivy.oneOnly.middles),
      String(known.sqlite.oneOnly.middles),
    ],
  ]
}

/** Times are longer on a machine that does other work too: the table says so. */
function loadOf(load: number, cores: number): string {
  return load < cores / 2 ? 'with nothing else to do' : `at a load of ${load.toFixed(1)}, other work included`
}
