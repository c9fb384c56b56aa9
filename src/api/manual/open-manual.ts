import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { readPageSource, type PageSource } from './page-source.ts'

export type MediaFile = { type: string; bytes: Uint8Array }

/** The manual as it was when the server started: a few files, all held in memory. */
export type Manual = {
  /** In the order of the contents; the first page's name is empty. */
  pages: readonly PageSource[]
  find(name: string): PageSource | undefined
  media(file: string): MediaFile | undefined
}

const TYPES: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  json: 'application/json; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
  webm: 'video/webm',
}

/** Pages that have their place in `docs/` for other readers too. */
const BESIDE = { operation: 90, configuration: 91 }

/** Reads `manual/*.md`, its `media/`, and the pages beside it. A folder that is not there is a manual without pages. */
export function openManual(docsFolder: string): Manual {
  const folder = join(docsFolder, 'manual')
  const own = list(folder, '.md').map((file) => {
    const name = file.slice(0, -'.md'.length)
    return readPageSource(name === 'index' ? '' : name, readFileSync(join(folder, file), 'utf8'))
  })
  const beside = Object.entries(BESIDE).flatMap(([name, order]) => {
    const path = join(docsFolder, `${name}.md`)
    return existsSync(path) ? [{ ...readPageSource(name, readFileSync(path, 'utf8')), order }] : []
  })
  const pages = [...own, ...beside].toSorted((a, b) => (a.order ?? 1000) - (b.order ?? 1000) || compare(a.name, b.name))
  const files = [
    ...list(join(folder, 'media'), '').map((file) => join(folder, 'media', file)),
    ...list(docsFolder, '.json').map((file) => join(docsFolder, file)),
  ]
  const media = new Map<string, MediaFile>(
    files.flatMap((path) => {
      const type = TYPES[path.split('.').at(-1) ?? '']
      return type === undefined ? [] : [[basename(path), { type, bytes: readFileSync(path) }]]
    }),
  )
  return {
    pages,
    find: (name) => pages.find((page) => page.name === name),
    media: (file) => media.get(file),
  }
}

function list(folder: string, ending: string): string[] {
  return existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith(ending)) : []
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
