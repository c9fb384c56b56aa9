/** How the results of `bench kernel` and `bench peers` read as Markdown. */

type KernelRow = {
  type: string
  from: number
  to: number
  columns: number
  gflops: number
  gbytes: number
  ratio: number
}
type ExpertRow = { rows: number; ratio: number }
type PeerRow = { name: string; threads: number; tokensPerSecond: number; times: number; equalReplies: number }
type CanvasRow = { name: string; threads: number; tokensPerSecond: number; times: number; equalTokens?: number }
type Result = Record<string, unknown>

/** What a newcomer wants to know: one row, a step's rows, many. The result file has more. */
const COLUMNS = [1, 4, 8, 12, 32]
/** With so few columns memory is the limit. */
const FEW = 8

export function renderKernel(result: Result): string {
  const rows = result['rows'] as KernelRow[]
  const whole = (figure: string): number => Math.round(Number(result[figure]))
  const matrices = [...new Set(rows.map(({ type, from, to }) => JSON.stringify([type, `${from} × ${to}`])))]
  const names = matrices.map((matrix) => JSON.parse(matrix) as [type: string, shape: string])
  const cell = ([type, shape]: [string, string], columns: number): string => {
    const row = rows.find((one) => one.type === type && `${one.from} × ${one.to}` === shape && one.columns === columns)
    if (row === undefined) return ''
    const read = columns > FEW ? '' : ` (${row.gbytes.toFixed(0)} GB/s)`
    return `${Math.round(row.gflops)} GFLOP/s${read}, ${row.ratio.toFixed(1)} × ggml`
  }
  return [
    `| Columns at once | ${names.map(([type, shape]) => `\`${type}\`, ${shape}`).join(' | ')} |`,
    `|---|${names.map(() => '---|').join('')}`,
    ...COLUMNS.map((columns) => `| ${columns} | ${names.map((name) => cell(name, columns)).join(' | ')} |`),
    '',
    ...renderExperts((result['experts'] ?? []) as ExpertRow[]),
    `Products of weights by the kernel (${result['isa']}) on one thread; the dot-product instruction alone: ${whole('peakGflops')} GFLOP/s; memory gives ${whole('readGbytes')} GB/s.`,
    `Measured by \`./unmask bench kernel\` on ${result['machine']}, ${result['at']}.`,
  ].join('\n')
}

/** Two tables, each where it was measured. */
function renderExperts(experts: readonly ExpertRow[]): string[] {
  if (experts.length === 0) return []
  const times = experts.map(({ rows, ratio }) => `${ratio.toFixed(1)} at ${rows}`)
  return [`The experts' products of \`Model-MoE\`, rows grouped by expert, times ggml: ${times.join(', ')} rows.`]
}

export function renderPeers(result: Result): string {
  const { base, canvas } = result as { base?: Result; canvas?: Result }
  const tables = [base && renderOneAtATime(base), canvas && renderWholeCanvas(canvas)]
  return tables.filter((table) => table !== undefined).join('\n\n')
}

function renderOneAtATime(result: Result): string {
  const rows = result['rows'] as PeerRow[]
  const lines = rows.map(({ name, threads, tokensPerSecond, times, equalReplies }) => {
    const same = name === 'llama.cpp' ? '' : percent(equalReplies)
    return `| ${name === 'llama.cpp' ? name : `\`Model\`, ${name}`} | ${tokensPerSecond.toFixed(0)} | ${times.toFixed(2)} | ${threads} | ${same} |`
  })
  return [
    '| One token at a time | Tokens a second | Times llama.cpp | Threads | Replies equal |',
    '|---|---|---|---|---|',
    ...lines,
    '',
    `The same base file, ${result['prompts']} prompts, greedy, at most ${result['tokensMax']} tokens, each at its best number of threads, from the first token to the last.`,
    'Both round activations to 8 bits, not alike, so greedy replies part somewhere. `verified` is the rule that ships.',
    measured('--only base', result),
  ].join('\n')
}

/** What the keys and values of each row of bench/peers/whole-canvas.ts are computed from. */
const CANVAS_ROWS: Record<string, string> = {
  'llama-diffusion-cli': '`llama-diffusion-cli`, the whole canvas at every step',
  'block by block': 'Unmask, the whole canvas at the first step of a block, then the block',
  'whole canvas': 'Unmask, the whole canvas at every step',
}

function renderWholeCanvas(result: Result): string {
  const rows = result['rows'] as CanvasRow[]
  const number = (name: string) => Number(result[name])
  const lines = rows.map(({ name, threads, tokensPerSecond, times, equalTokens }) => {
    const same = equalTokens === undefined ? '' : percent(equalTokens)
    return `| ${CANVAS_ROWS[name] ?? name} | ${tokensPerSecond.toFixed(1)} | ${times.toFixed(1)} | ${threads} | ${same} |`
  })
  const steps = number('block') / number('perStep')
  return [
    '| A canvas of masks | Tokens a second | Times llama.cpp | Threads | Tokens equal |',
    '|---|---|---|---|---|',
    ...lines,
    '',
    `One file of ${Math.round(number('parameters') / 1e6)} M random weights in LLaDA's layout, \`Q8_0\`, for both programs (llama.cpp ${result['release']}, built for this processor);`,
    `a prompt of ${result['prompt']} tokens and ${result['reply']} more in blocks of ${result['block']}, ${result['perStep']} a step: ${result['forwards']} forwards, all counted, each program at its best number of threads.`,
    `The second row is how bidirectional models are served (Fast-dLLM's dual cache): in ${steps - 1} of a block's ${steps} steps the rows outside it keep the keys and values of the first, which is an approximation;`,
    `told is how many of its tokens are those of the third row, which approximates nothing, over ${result['prompts']} prompts. Random weights magnify the least difference: where only the rounding differs (ggml's products for the kernel's), ${percent(number('equalButRounding'))} of the third row's tokens are equal.`,
    measured('--only canvas', result),
  ].join('\n')
}

function percent(share: number): string {
  return `${Math.round(100 * share)}%`
}

function measured(flags: string, result: Result): string {
  return `Measured by \`./unmask bench peers ${flags}\` on ${result['machine']}, ${result['at']}.`
}
