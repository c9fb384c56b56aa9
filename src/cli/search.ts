import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { silentLog } from '../lib/log.ts'
import type { PageResult, SearchAnswer } from '../search/search.ts'
import { UserError, WRONG_USE, type Call, type Command } from './command.ts'
import { openConfig, PLACE_FLAGS } from './open-config.ts'
import { openSearchOf } from './search-parts.ts'
import type { Terminal } from './terminal.ts'

const COUNT = { fallback: 10, max: 50 }
const DEADLINE_MS = 30_000

export const search: Command = {
  action: {
    summary: 'Search the index of the data folder',
    words: 'QUERY... [flags]',
    wordsMin: 1,
    wordsMax: 1000,
    flags: {
      count: { value: 'N', help: `Results (default ${COUNT.fallback})` },
      why: { help: 'Also what each score is made of' },
      json: { help: 'The answer as JSON' },
      ...PLACE_FLAGS,
    },
    notes: 'Understands site: -site: -word "a phrase" intitle: filetype: lang:. Works beside a running server.',
    examples: ['unmask search diffusion models', 'unmask search \'"rate limit" site:127.0.0.1\''],
    run: searchIndex,
  },
}

async function searchIndex(call: Call): Promise<number> {
  process.umask(0o077)
  const { config, dataFolder } = openConfig(call)
  const count = Number(call.text('count') ?? COUNT.fallback)
  if (!Number.isInteger(count) || count < 1 || count > COUNT.max)
    throw new UserError(`--count is ${call.text('count')}; allowed: a whole number from 1 to ${COUNT.max}.`, WRONG_USE)
  if (!existsSync(join(dataFolder, 'search', 'documents.db')))
    throw new UserError(
      `nothing has been crawled into ${dataFolder} yet: see "unmask crawl --help", or name the folder with --data DIR.`,
    )
  const index = await openSearchOf(dataFolder, { ...config, search: { ...config.search, threads: 1 } }, silentLog)
  try {
    const answer = await index.search(
      {
        query: call.words.join(' '),
        count,
        offset: 0,
        include: [],
        exclude: [],
        wants: { pages: true, images: true, videos: true },
        withoutSummary: true,
        deadlineAt: Date.now() + DEADLINE_MS,
      },
      AbortSignal.timeout(DEADLINE_MS),
    )
    call.terminal.say(call.on('json') ? JSON.stringify(answer, null, 2) : render(answer, call.terminal, call.on('why')))
    return 0
  } finally {
    await index.close()
  }
}

function render({ pages, images, videos, tookMs }: SearchAnswer, { paint }: Terminal, why: boolean): string {
  const results = pages.results.map((page) => renderPage(page, paint, why))
  const counts = `${pages.total} pages, ${images.total} images, ${videos.total} videos in ${tookMs.toFixed(1)} ms`
  return [...results, paint('dim', counts)].join('\n\n')
}

function renderPage(page: PageResult, paint: Terminal['paint'], why: boolean): string {
  const terms = Object.entries(page.why).map(([name, value]) => `${name} ${value.toFixed(3)}`)
  return [
    paint('bold', page.title === '' ? page.url : page.title),
    paint('cyan', page.url),
    page.snippet,
    ...(why ? [paint('dim', terms.join(', '))] : []),
  ].join('\n')
}
