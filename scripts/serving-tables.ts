/** How the results of `bench batching`, `bench neighbour` and `bench soak` read as Markdown. */

type Result = Record<string, unknown>

type Serving = {
  crowd: { timesAlone: number; lastEndTimesMean: number; tokensPerSecondTogether: number }
  longPrompt: { promptTokens: number; usualGapMs: number; longestGapMs: number; firstTextMs: number }
  besideForwards: { serverMs: number; clientMs: number }
}

export function renderBatching(result: Result): string {
  const models = Object.entries(result['models'] as Record<string, Serving>)
  const tokens = models[0]?.[1].longPrompt.promptTokens
  const rows: [label: string, figure: (model: Serving) => string][] = [
    [
      `Tokens a second of ${result['requests']} requests at once, together`,
      ({ crowd }) => `${crowd.tokensPerSecondTogether}, ${crowd.timesAlone} × one alone`,
    ],
    ['The last of them ends after', ({ crowd }) => `${crowd.lastEndTimesMean} × their mean`],
    [
      `Longest pause of ${result['streams']} streams while a prompt of ${tokens} tokens is read`,
      ({ longPrompt }) => `${longPrompt.longestGapMs} ms, usually ${longPrompt.usualGapMs} ms`,
    ],
    ['First text of that prompt meanwhile', ({ longPrompt }) => `${longPrompt.firstTextMs} ms`],
    ['A request beside its forwards, in the server, median', ({ besideForwards }) => `${besideForwards.serverMs} ms`],
    ['The same, at the client', ({ besideForwards }) => `${besideForwards.clientMs} ms`],
  ]
  return [
    `| | ${models.map(([name]) => `\`${name}\``).join(' | ')} |`,
    `|---|${models.map(() => '---|').join('')}`,
    ...rows.map(([label, figure]) => `| ${label} | ${models.map(([, model]) => figure(model)).join(' | ')} |`),
    '',
    'Beside its forwards: the whole time of a request for one token, less that of its forward.',
    `Measured by \`./unmask bench batching\` on ${result['machine']}, ${result['at']}.`,
  ].join('\n')
}

type Phase = {
  threads: number | 'auto'
  phase: string
  medianMs: number | null
  p99Ms: number | null
  times: number | null
}

export function renderNeighbour(result: Result): string {
  const rows = (result['rows'] as Phase[]).map(({ threads, phase, medianMs, p99Ms, times }) => {
    const figures = p99Ms === null ? 'no step ended | |' : `${medianMs} ms | ${p99Ms} ms | ${times}`
    return `| ${threads} | ${phase} | ${figures} |`
  })
  return [
    '| Threads | Beside | A step, median | p99 | p99 in quiet medians |',
    '|---|---|---|---|---|',
    ...rows,
    '',
    `Steps of ${result['replies']} replies on \`Model\` while spinning processes want the same ${result['cores']} cores; \`auto\` is the default.`,
    `Measured by \`./unmask bench neighbour\` on ${result['machine']}, ${result['at']}.`,
  ].join('\n')
}

type Verdict = { first: number; last: number; slopeAnHour: number }

export function renderSoak(result: Result): string {
  const deeds = Object.values(result['deeds'] as Record<string, number>).reduce((sum, count) => sum + count, 0)
  const row = (label: string, { first, last, slopeAnHour }: Verdict): string =>
    `| ${label} | ${Math.round(first)} MB | ${Math.round(last)} MB | ${slopeAnHour.toFixed(1)} MB |`
  return [
    '| Memory of | first third | last third | an hour more |',
    '|---|---|---|---|',
    row('the api process', result['apiMb'] as Verdict),
    row('the engine', result['engineMb'] as Verdict),
    '',
    `${Math.round(Number(result['minutes']))} minutes of mixed load at ${Math.round(100 * Number(result['load']))}% of a core, ${deeds} requests and conversations, ${result['problems']} answered wrongly, ${result['lostCells']} cells of the cache lost; medians after warm-up.`,
    `Measured by \`./unmask bench soak\` on ${result['machine']}, ${result['at']}.`,
  ].join('\n')
}
