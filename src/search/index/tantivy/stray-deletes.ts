import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const DELETES = /^([0-9a-f]{32})\.(\d+)\.del$/

type Meta = { segments: { segment_id: string; deletes: { opstamp: number } | null }[] }

/**
 * Takes away the lists of deleted documents that no commit names. A process that dies in a commit leaves them behind, and Tantivy
 * numbers the next commit alike and refuses to write over them. Only for who holds the folder's writer; readers have theirs open.
 */
export function removeStrayDeletes(folder: string): void {
  const named = new Set(
    readSegments(folder).map(({ segment_id: id, deletes }) => nameOf(id.replaceAll('-', ''), deletes?.opstamp)),
  )
  for (const file of readdirSync(folder)) {
    const [, id = '', opstamp] = DELETES.exec(file) ?? []
    if (opstamp !== undefined && !named.has(nameOf(id, Number(opstamp)))) rmSync(join(folder, file), { force: true })
  }
}

function readSegments(folder: string): Meta['segments'] {
  try {
    const { segments } = JSON.parse(readFileSync(join(folder, 'meta.json'), 'utf8')) as Meta
    return segments
  } catch {
    // No index yet.
    return []
  }
}

function nameOf(segment: string, opstamp: number | undefined): string {
  return `${segment}.${opstamp}`
}
