/**
 * `npm run check`, imports: what may import what is this table. Also: `process.env` and `process.argv` only in `src/cli/`,
 * no development package in `src/`, and some packages only in the room that hides them.
 */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, matchesGlob, normalize } from 'node:path'

/**
 * Place in `src/` → the places it may import besides itself. A place is a folder or a file; the most exact one counts.
 * The stages of search meet in files on the disk, so that each runs alone: they import seams, not one another.
 */
const SEARCH_SEAMS = ['lib', 'search/document.ts', 'search/search.ts']
const MAY_IMPORT: Record<string, readonly string[]> = {
  lib: [],
  accounts: ['lib'],
  engine: ['lib'],
  search: ['lib'],
  'search/crawl': SEARCH_SEAMS,
  'search/documents': SEARCH_SEAMS,
  'search/text': SEARCH_SEAMS,
  'search/media': SEARCH_SEAMS,
  'search/extract': [...SEARCH_SEAMS, 'search/media'],
  'search/index': [...SEARCH_SEAMS, 'search/text'],
  'search/indexing': [...SEARCH_SEAMS, 'search/documents', 'search/text', 'search/index'],
  'search/query': [...SEARCH_SEAMS, 'search/documents', 'search/text', 'search/index'],
  config: [
    'lib',
    'accounts/options.ts',
    'api/options.ts',
    'engine/options.ts',
    'search/options.ts',
    'search/*/options.ts',
  ],
  api: [
    'lib',
    'accounts',
    'engine/messages.ts',
    'search/search.ts',
    'search/document.ts',
    'search/pictures.ts',
    'search/media/players.ts',
    'config/sections.ts',
  ],
  cli: ['lib', 'accounts', 'engine', 'search', 'api', 'config'],
}

/** Packages with one home each, so that another can take their place there. */
const HOMES: Record<string, readonly string[]> = {
  koffi: ['engine/ggml'],
  fastify: ['api'],
  marked: ['api/manual'],
  'prom-client': ['api'],
  kysely: ['accounts'],
  'rate-limiter-flexible': ['accounts'],
  '@huggingface/jinja': ['engine/tokenizer'],
  pino: ['cli'],
}

const IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*|\bnew URL\(\s*)'([^']+)'/g
/** Strings are matched first, so that `//` inside one is no comment. What stands in backticks is text, not code. */
const STRING_OR_COMMENT = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|\/\/[^\n]*|\/\*[\s\S]*?\*\//g

export type SourceFile = { path: string; text: string }

/** One sentence for each import (or global) that the table does not allow. Paths begin at the repository's root. */
export function findWrongImports(files: SourceFile[], developmentPackages: Set<string>): string[] {
  return files.flatMap((file) => {
    const place = file.path.slice('src/'.length)
    const part = partOf(place)
    if (part === undefined) return [`${file.path} is in no place of the table of scripts/check-imports.ts`]
    const allowed = MAY_IMPORT[part] ?? []
    if (file.path.endsWith('.test.ts') || file.path.endsWith('.contract.ts')) return []
    const code = file.text.replace(STRING_OR_COMMENT, (text) => (/^[/`]/.test(text) ? '' : text))
    const wrong = [...code.matchAll(IMPORT)].flatMap(([, name = '']) =>
      judge(file.path, name, [part, ...allowed], developmentPackages),
    )
    const global = place.startsWith('cli/') ? null : /\bprocess\.(env|argv)\b/.exec(code)
    return global === null
      ? wrong
      : [...wrong, `${file.path}: ${global[0]} is read only in src/cli/; take a plain value`]
  })
}

function partOf(place: string): string | undefined {
  const holding = Object.keys(MAY_IMPORT).filter((part) => isInside(place, part))
  return holding.sort((a, b) => b.length - a.length)[0]
}

/** `*` stands for one folder. */
function isInside(path: string, place: string): boolean {
  return matchesGlob(path, place) || matchesGlob(path, `${place}/**`)
}

function judge(path: string, name: string, places: readonly string[], development: Set<string>): string[] {
  if (name.startsWith('.')) {
    const target = normalize(join(dirname(path), name))
    if (!target.startsWith('src/'))
      return target.endsWith('.ts') ? [`${path} imports ${target}, which is not in src/`] : []
    const inside = target.slice('src/'.length)
    return places.some((place) => isInside(inside, place)) ? [] : [`${path} must not import ${target}`]
  }
  const parts = name.split('/')
  const packageName = name.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? name)
  if (development.has(packageName)) return [`${path}: ${packageName} is a development package`]
  const homes = HOMES[packageName]
  if (homes === undefined || homes.some((home) => path.startsWith(`src/${home}/`))) return []
  return [`${path}: ${packageName} may be used only in src/${homes.join(', src/')}`]
}

if (import.meta.main) {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { devDependencies: Record<string, string> }
  const files = globSync('src/**/*.ts').map((path) => ({ path, text: readFileSync(path, 'utf8') }))
  const wrong = findWrongImports(files, new Set(Object.keys(manifest.devDependencies)))
  for (const sentence of wrong) process.stdout.write(`${sentence}\n`)
  process.exitCode = wrong.length === 0 ? 0 : 1
}
