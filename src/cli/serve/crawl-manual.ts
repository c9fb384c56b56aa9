import { createHash } from 'node:crypto'
import { fork, type ChildProcess } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import type { Log } from '../../lib/log.ts'
import { replaceFile } from '../../lib/replace-file.ts'
import type { OpenSearch } from '../../search/open-search.ts'
import type { Call } from '../command.ts'
import { searchFolder } from '../search-parts.ts'

/** Which manual stands in the index: at which address, in which state. */
type Crawled = { baseUrl: string; digest: string }
type Wish = { call: Call; dataFolder: string; baseUrl: string; search: OpenSearch; log: Log }

const PAGES_MAX = 200

/**
 * Has this server's own manual crawled in the background, by a child process at low priority, where the index does not hold it
 * as it is now. Pages of an address that the server has left are taken out. The child ends with this process.
 */
export function crawlManual({ call, dataFolder, baseUrl, search, log }: Wish): ChildProcess | undefined {
  const file = join(searchFolder(dataFolder), 'manual.json')
  const now: Crawled = { baseUrl, digest: digestOf(call.root) }
  const before = readCrawled(file)
  if (before?.baseUrl === now.baseUrl && before.digest === now.digest) return undefined
  const flags = ['--data', dataFolder, ...passedOn(call), '--pages', String(PAGES_MAX), '--json']
  const child = fork(join(call.root, 'src/cli/unmask.ts'), ['crawl', `${baseUrl}/docs/`, ...flags], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    cwd: call.folder,
    execArgv: [],
  })
  if (child.pid !== undefined) lower(child.pid)
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-2000)))
  child.on('error', (error) => log.warn('manual_not_crawled', { error: String(error) }))
  child.on('exit', (code, signal) => {
    if (code !== 0) return log.warn('manual_not_crawled', { code, signal, error: said })
    if (before !== undefined && before.baseUrl !== baseUrl) removeOld(search, before.baseUrl, call.root)
    replaceFile(file, `${JSON.stringify(now)}\n`, 0o600)
    log.info('manual_crawled', { baseUrl })
  })
  return child
}

/** Settings that came by flags count for the child too; the environment it has anyway. */
function passedOn(call: Call): string[] {
  const config = call.text('config')
  return [
    ...(config === undefined ? [] : ['--config', config]),
    ...call.texts('set').flatMap((pair) => ['--set', pair]),
    ...(call.text('log') === undefined ? [] : ['--set', `log.to=${call.text('log')}`]),
  ]
}

/** Answers go before crawling. */
function lower(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // It has ended already, or the system allows no such thing: it works without.
  }
}

/** Of everything that the manual's pages are made of. */
function digestOf(root: string): string {
  const hash = createHash('sha256')
  const files = globSync(['docs/*.md', 'docs/manual/**/*.*', 'src/api/manual/*.ts', 'src/api/pages/*.ts'], {
    cwd: root,
  })
  for (const file of files.toSorted()) hash.update(file).update(readFileSync(join(root, file)))
  return hash.digest('hex')
}

function readCrawled(file: string): Crawled | undefined {
  if (!existsSync(file)) return undefined
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Crawled
  } catch {
    // Half of a file from a full disk: the manual is crawled again, no more.
    return undefined
  }
}

/** The pages as this version has them; what an older one had besides goes when it is crawled again and not found. */
function removeOld(search: OpenSearch, baseUrl: string, root: string): void {
  const names = globSync(['docs/*.md', 'docs/manual/*.md'], { cwd: root }).map(
    (file) => file.split('/').at(-1)?.slice(0, -'.md'.length) ?? '',
  )
  const paths = ['/', '/docs/', '/docs/api/', ...names.map((name) => `/docs/${name}/`)]
  for (const path of paths) search.remove(`${baseUrl}${path}`)
}
