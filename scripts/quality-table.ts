/** bench/results/quality.json as the tables of a model card. */

type Figures = {
  questions: number
  right: number
  ended: number
  looping: number
  unknown: number
  tokensPerForward: number
}
type Group = Record<string, Figures & { interval?: [number, number] }>
type Dial = {
  rule: string
  paced?: boolean
  window?: number
  threshold?: number
  temperature: number
  types?: { base: string; adapters: string }
  tokensPerSecond: number
  closedRight: number
  closed: number
  product: number
  open: number
}
type Quality = {
  machine: string
  at: string
  greedy: Record<string, Group>
  neverResting?: Record<string, Group>
  pairedWithBase?: Record<string, { points: number; interval: number }>
  sampled?: Group[]
  dials?: { machine: string; at: string; threads: number; rows: Dial[] }
}

const KINDS: [kind: string, label: string][] = [
  ['closed', 'Closed questions, right'],
  ['sum', '– sums, differences, products'],
  ['capital', '– capitals'],
  ['opposite', '– opposites'],
  ['symbol', '– element symbols'],
  ['unit', '– units'],
  ['calendar', '– days and months'],
  ['product', 'Product questions, right'],
  ['recall', 'What was told earlier in the conversation, right'],
  ['system', 'A system line that asks for the fact alone, followed and right'],
]
const PACES: [kind: string, label: string][] = [
  ['closed', 'Tokens per forward, closed questions'],
  ['product', 'Tokens per forward, product questions'],
  ['open', 'Tokens per forward, open prompts'],
]

const SHIPPED_TYPES = { base: 'Q4_1', adapters: 'Q8_0' }

const percent = (share: number | undefined): string => (share === undefined ? '' : `${(100 * share).toFixed(1)}%`)

export function renderQuality(result: Record<string, unknown>): string {
  const quality = result as Quality
  const tables = [renderGreedy(quality), renderSampled(quality), renderDials(quality)]
  const source = `Measured by \`./unmask bench quality\` on ${quality.machine}, ${quality.at}; every forward counts, the prompt's too.`
  return [...tables.filter((table) => table !== ''), source].join('\n\n')
}

function renderGreedy({ greedy, neverResting, pairedWithBase }: Quality): string {
  const ids = Object.keys(greedy)
  const row = (label: string, cell: (group: Group, id: string) => string): string =>
    `| ${label} | ${ids.map((id) => cell(greedy[id] ?? {}, id)).join(' | ')} |`
  const count = (kind: string): number => greedy[ids[0] ?? '']?.[kind]?.questions ?? 0
  const rows = [
    ...KINDS.map(([kind, label]) => row(`${label} (${count(kind)})`, (group) => percent(group[kind]?.right))),
    row(`"I don't know" where nobody can know (${count('unknown')})`, (group) => percent(group['unknown']?.unknown)),
    row('"I don\'t know" to a closed question', (group) => percent(group['closed']?.unknown)),
    row(`Open prompts that end by themselves within 300 tokens (${count('open')})`, (group) =>
      percent(group['open']?.ended),
    ),
    row('Open prompts with eight words three times', (group) => percent(group['open']?.looping)),
  ]
  for (const [kind, label] of PACES) {
    rows.push(row(label, (group) => `${group[kind]?.tokensPerForward ?? ''}`))
    if (neverResting !== undefined) {
      rows.push(row('– if windows never rest', (_, id) => `${neverResting[id]?.[kind]?.tokensPerForward ?? ''}`))
    }
  }
  rows.splice(1, 0, row('– the 95% interval', tellInterval))
  if (pairedWithBase !== undefined) {
    const told = (id: string): string => {
      const pair = pairedWithBase[id]
      return pair === undefined ? '' : `${pair.points > 0 ? '+' : ''}${pair.points} ± ${pair.interval}`
    }
    rows.splice(
      2,
      0,
      row('– points more than the published base, paired', (_, id) => told(id)),
    )
  }
  const names = ids.map((id) => (id === 'Base' ? 'the published base' : `\`${id}\``))
  return [`| greedy | ${names.join(' | ')} |`, `|---|${ids.map(() => '---|').join('')}`, ...rows].join('\n')
}

function tellInterval(group: Group): string {
  return group['closed']?.interval?.map(percent).join(' to ') ?? ''
}

function renderSampled({ sampled }: Quality): string {
  if (sampled === undefined) return ''
  const of = (kind: string): string => sampled.map((group) => percent(group[kind]?.right)).join(', ')
  const pace = sampled.map((group) => group['closed']?.tokensPerForward).join(', ')
  const right = `closed right ${of('closed')}; product right ${of('product')}`
  return `At temperature 0.7, top_p 0.8, three seeds: ${right}; tokens per forward on closed questions ${pace}.`
}

function renderDials({ dials }: Quality): string {
  if (dials === undefined) return ''
  const rows = dials.rows.map((d) => {
    const { base, adapters } = d.types ?? SHIPPED_TYPES
    const rule = `\`${d.rule}\`${d.rule === 'verified' && d.paced !== false ? ', resting' : ''}`
    const cells = [rule, d.window, d.threshold, d.temperature, `${base}, ${adapters}`, percent(d.closedRight)]
    const paces = [d.closed, d.product, d.open, d.tokensPerSecond]
    return `| ${[...cells, ...paces].map((cell) => cell ?? '').join(' | ')} |`
  })
  const head =
    '| rule | W | τ | temperature | base, adapters | closed right | tokens per forward: closed | product | open | tokens a second, 16 at once |'
  const told = `${dials.threads === 1 ? 'One thread' : `${dials.threads} threads`}; "resting" is the rule as it ships, whose windows rest beside so many replies; other types of file are the shipped numbers stored anew, so Q8_0 tells what more bytes cost. ${dials.machine}, ${dials.at}.`
  return [head, `|${'---|'.repeat(10)}`, ...rows, '', told].join('\n')
}
