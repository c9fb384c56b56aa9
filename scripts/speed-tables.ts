/** How the results of `bench kernel` and `bench peers` read as Markdown. */

type KernelRow = { type: string; columns: number; gflops: number; gbytes: number; ratio: number }
type PeerRow = { name: string; threads: number; tokensPerSecond: number; times: number; equalReplies: number }
type Result = Record<string, unknown>

/** What a newcomer wants to know: one row, a step's rows, many. The result file has more. */
const COLUMNS = [1, 6, 12, 32]

export function renderKernel(result: Result): string {
  const rows = result['rows'] as KernelRow[]
  const types = [...new Set(rows.map((row) => row.type))]
  const cell = (type: string, columns: number): string => {
    const row = rows.find((one) => one.type === type && one.columns === columns)
    return row === undefined ? '' : `${Math.round(row.gflops)} GFLOP/s, ${row.ratio.toFixed(1)} × ggml`
  }
  return [
    `| Columns at once | ${types.map((type) => `\`${type}\``).join(' | ')} |`,
    `|---|${types.map(() => '---|').join('')}`,
    ...COLUMNS.map((columns) => `| ${columns} | ${types.map((type) => cell(type, columns)).join(' | ')} |`),
    '',
    `Products of weights by the kernel (${result['isa']}) on one thread; the dot-product instruction alone: ${Math.round(Number(result['peakGflops']))} GFLOP/s.`,
    `Measured by \`./unmask bench kernel\` on ${result['machine']}, ${result['at']}.`,
  ].join('\n')
}

export function renderPeers(result: Result): string {
  const rows = result['rows'] as PeerRow[]
  const lines = rows.map(({ name, threads, tokensPerSecond, times, equalReplies }) => {
    const same = name === 'llama.cpp' ? '' : `${Math.round(100 * equalReplies)}%`
    return `| ${name === 'llama.cpp' ? name : `\`Model\`, ${name}`} | ${tokensPerSecond.toFixed(0)} | ${times.toFixed(2)} | ${threads} | ${same} |`
  })
  return [
    '| | Tokens a second | Times llama.cpp | Threads | Replies equal |',
    '|---|---|---|---|---|',
    ...lines,
    '',
    `The same base file, ${result['prompts']} prompts, greedy, at most ${result['tokensMax']} tokens, each at its best number of threads, from the first token to the last.`,
    'Both round activations to 8 bits, not alike, so greedy replies part somewhere. `verified` is the rule that ships.',
    `Measured by \`./unmask bench peers\` on ${result['machine']}, ${result['at']}.`,
  ].join('\n')
}
