/** How the result of `bench forward` reads as Markdown. */

type Limits = { peakGflops: number; readGbytes: number }
type PairRow = { model: string; threads: number; rows: number; ms: number; share: number }
type WideRow = {
  type: string
  threads: number
  loadSeconds: number
  residentGiB: number
  ms: number
  share: number
  readFloorMs?: number
  workFloorMs: number
  tokensPerSecond: number
}
type Part<Row> = { at: string; machine: string; limits: Limits; rows: readonly Row[] }
type Result = { pair?: Part<PairRow>; wide?: Part<WideRow> }

/** What stands in a cell of a step of `rows` rows: milliseconds, and what share of them the products alone need. */
export function renderForward(result: Record<string, unknown>): string {
  const { pair, wide } = result as Result
  const parts = [pair && renderPair(pair.rows) + tellWhere(pair), wide && renderWide(wide.rows) + tellWhere(wide)]
  return parts.filter((part) => part !== undefined).join('\n\n')
}

function tellWhere({ at, machine, limits: { peakGflops, readGbytes } }: Part<unknown>): string {
  const limits = `On one thread the dot-product instruction alone does ${Math.round(peakGflops)} GFLOP/s, and memory gives ${Math.round(readGbytes)} GB/s.`
  return `\n${limits}\nMeasured by \`./unmask bench forward\` on ${machine}, ${at}.`
}

function renderPair(pair: readonly PairRow[]): string {
  const kinds = [...new Set(pair.map(({ model, threads }) => JSON.stringify([model, threads])))]
  const names = kinds.map((kind) => JSON.parse(kind) as [model: string, threads: number])
  const cell = ([model, threads]: [string, number], rows: number): string => {
    const row = pair.find((one) => one.model === model && one.threads === threads && one.rows === rows)
    return row === undefined ? '' : `${row.ms.toFixed(1)} ms, ${Math.round(100 * row.share)}%`
  }
  const heads = names.map(([model, threads]) => `\`${model}\`, ${threads === 1 ? '1 thread' : `${threads} threads`}`)
  return [
    `| Rows of a forward | ${heads.join(' | ')} |`,
    `|---|${names.map(() => '---|').join('')}`,
    ...[...new Set(pair.map(({ rows }) => rows))].map(
      (rows) => `| ${rows} | ${names.map((name) => cell(name, rows)).join(' | ')} |`,
    ),
    '',
    'A forward of the bundled pair beside 256 tokens in the cache, and what share of it its products alone need: the rest is attention, norms, the choice of candidates and, above 16 rows, building the graph. 64 rows are a prompt, fewer a causal row and a window.',
  ].join('\n')
}

function renderWide(wide: readonly WideRow[]): string {
  return [
    '| Shape of LLaDA-8B | Threads | Loaded in | Memory | A step of 32 rows | Share of products | All weights read | All products done | Tokens a second |',
    '|---|---|---|---|---|---|---|---|---|',
    ...wide.map((row) => {
      const cells = [
        `\`${row.type}\``,
        row.threads,
        `${row.loadSeconds.toFixed(0)} s`,
        `${row.residentGiB.toFixed(1)} GiB`,
        `${row.ms.toFixed(0)} ms`,
        `${Math.round(100 * row.share)}%`,
        row.readFloorMs === undefined ? '' : `${row.readFloorMs.toFixed(0)} ms`,
        `${row.workFloorMs.toFixed(0)} ms`,
        row.tokensPerSecond.toFixed(1),
      ]
      return `| ${cells.join(' | ')} |`
    }),
    '',
    'Random weights; a block of 32 rows beside 256 tokens in the cache. No step can be faster than reading all weights once at the speed of memory, nor than all its products at that of the instruction alone. Tokens a second of a reply of 32 after a prompt of 32, 8 tokens a step.',
  ].join('\n')
}
