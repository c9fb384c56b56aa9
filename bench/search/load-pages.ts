import { createHash } from 'node:crypto'
import {
  closeSync,
  createReadStream,
  existsSync,
  globSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { createInterface } from 'node:readline'
import type { PageDocument } from '../../src/search/document.ts'
import { extractPage } from '../../src/search/extract/extract-page.ts'

const FETCHED_AT = Date.UTC(2026, 10, 1)
const CHARSET = /<meta[^>]+charset\s*=\s*["']?\s*([\w-]+)/i

/** Extracts every HTML file below `folder` once into `file`, a page a line; each first folder is a host. Equal texts come once. */
export function extractPages(folder: string, file: string, say: (line: string) => void): void {
  if (existsSync(file)) return
  mkdirSync(dirname(file), { recursive: true })
  const found = globSync('**/*.{html,htm,xhtml}', { cwd: folder, withFileTypes: true }).filter((each) => each.isFile())
  const paths = found.map((each) => relative(folder, join(each.parentPath, each.name))).toSorted()
  const out = openSync(`${file}.part`, 'w')
  const seen = new Set<string>()
  for (const [i, path] of paths.entries()) {
    const page = extractOne(folder, path)
    const hash = createHash('sha1').update(`${page.title}\n${page.text}`).digest('base64')
    if (page.text.length < 100 || seen.has(hash)) continue
    seen.add(hash)
    writeSync(out, `${JSON.stringify(page)}\n`)
    if (i % 5_000 === 0) say(`extracted ${i} of ${paths.length} files, ${seen.size} pages`)
  }
  closeSync(out)
  renameSync(`${file}.part`, file)
}

function extractOne(folder: string, path: string): PageDocument {
  const bytes = readFileSync(join(folder, path))
  const charset = CHARSET.exec(bytes.subarray(0, 2_048).toString('latin1'))?.[1] ?? 'utf-8'
  const [host = '', ...rest] = path.split(sep)
  const url = `https://${host}.test/${rest.map((part) => encodeURIComponent(part)).join('/')}`
  const times = { fetchedAt: FETCHED_AT, firstSeenAt: FETCHED_AT }
  return extractPage({ url, html: decode(bytes, charset), contentType: 'text/html', headers: {}, ...times })
}

function decode(bytes: Uint8Array, charset: string): string {
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

export async function* readPages(file: string, max: number): AsyncGenerator<PageDocument> {
  let count = 0
  for await (const line of createInterface({ input: createReadStream(file) })) {
    if (count++ >= max) return
    yield JSON.parse(line) as PageDocument
  }
}
