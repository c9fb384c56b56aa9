/**
 * `npm run check`, documents: every path they name exists, a part's README has at most 40 lines, and what is rendered
 * (settings, tables of benches) is what its source says now. docs/decisions/ and CHANGELOG.md are history: not checked.
 */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { renderBenchTables } from './bench-tables.ts'
import { renderConfigDocs } from './config-docs.ts'

const README_LINES_MAX = 40
/** A text in backticks is a path of ours when it begins with one of these. */
const ROOTS = /^(?:src|test|docs|scripts|bench|models|training|native|examples|web|\.ci)\/[\w./*{},-]*$/
/** In a part's README, a file of that part. */
const FILE = /^[\w./-]+\.ts$/
const FENCE = /^```[\s\S]*?^```/gm

export type Document = { path: string; text: string }

/** One sentence for each path that is named but not there, and each README of a part that is too long. */
export function findDocFaults(documents: Document[], exists: (path: string) => boolean): string[] {
  return documents.flatMap((document) => {
    const missing = namedPaths(document).filter((path) => !exists(path))
    const faults = missing.map((path) => `${document.path} names ${path}, which does not exist`)
    const lines = document.text.trimEnd().split('\n').length
    const part = isPartReadme(document.path)
    return part && lines > README_LINES_MAX
      ? [...faults, `${document.path} has ${lines} lines; a part's README has at most 40`]
      : faults
  })
}

function namedPaths({ path, text }: Document): string[] {
  const prose = text.replace(FENCE, '')
  const quoted = [...prose.matchAll(/`([^`\n]+)`/g)].flatMap(([, name = '']) => (ROOTS.test(name) ? [name] : []))
  const own = isPartReadme(path) ? [...prose.matchAll(/`([^`\n]+)`/g)].map(([, name = '']) => name) : []
  const files = own.filter((name) => FILE.test(name) && !ROOTS.test(name)).map((name) => `${dirname(path)}/**/${name}`)
  const linked = [...prose.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].flatMap(([, target = '']) =>
    // An address, or a path of the site that the manual is served as.
    /^(?:[a-z]+:|\/)/.test(target) ? [] : [normalize(join(dirname(path), target))],
  )
  return [...new Set([...quoted, ...files, ...linked])]
}

function isPartReadme(path: string): boolean {
  return /^src\/.*README\.md$/.test(path)
}

/** Names as documents write them: a folder, a file, `*` and `{a,b}` for several. */
function existsInRepository(path: string): boolean {
  return /[*{]/.test(path) ? globSync(path).length > 0 : existsSync(path)
}

function findStale(): string[] {
  return [...differing(renderConfigDocs(), 'config-docs'), ...differing(renderBenchTables(), 'bench-tables')]
}

function differing(rendered: Record<string, string>, script: string): string[] {
  return Object.entries(rendered).flatMap(([path, content]) => {
    if (existsSync(path) && readFileSync(path, 'utf8') === content) return []
    return [`${path} is not what its source says; run: node scripts/${script}.ts`]
  })
}

if (import.meta.main) {
  const paths = globSync([
    '*.md',
    'src/**/*.md',
    'docs/*.md',
    'test/**/*.md',
    'bench/*.md',
    'models/*.md',
    'training/*.md',
    'examples/**/*.md',
  ])
  const documents = paths
    .filter((path) => path !== 'CHANGELOG.md')
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }))
  const faults = [...findDocFaults(documents, existsInRepository), ...findStale()]
  for (const fault of faults) process.stdout.write(`${fault}\n`)
  process.exitCode = faults.length === 0 ? 0 : 1
}
