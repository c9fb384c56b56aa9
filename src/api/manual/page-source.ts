/** One page of the manual as it lies in a Markdown file. */
export type PageSource = {
  /** Last part of its address; empty for the first page. */
  name: string
  title: string
  description: string
  /** Two letters. */
  language: string
  /** Days, `2026-11-21`; undefined where the file tells none. */
  published: string | undefined
  updated: string | undefined
  author: string | undefined
  /** Place in the contents; pages without one are not listed in it. */
  order: number | undefined
  /** Name of the video in `media/` that the page is about, without its ending. */
  video: string | undefined
  /** What the video shows and how long it is, as the file tells it. */
  videoTitle: string | undefined
  videoSeconds: number | undefined
  markdown: string
}

const FRONT = /^---\n([\s\S]*?)\n---\n/
const DAY = /^\d{4}-\d\d-\d\d$/

/** A Markdown file with `name: value` lines between two `---` at its top, or without: then its first heading and paragraph tell. */
export function readPageSource(name: string, text: string): PageSource {
  const front = FRONT.exec(text)
  const markdown = front === null ? text : text.slice(front[0].length)
  const told = new Map(
    (front?.[1] ?? '').split('\n').flatMap((line) => {
      const at = line.indexOf(':')
      return at < 1 ? [] : [[line.slice(0, at).trim(), line.slice(at + 1).trim()] as const]
    }),
  )
  const day = (key: string): string | undefined => {
    const value = told.get(key)
    if (value !== undefined && !DAY.test(value)) throw new Error(`${name}: ${key} is "${value}", not YYYY-MM-DD`)
    return value
  }
  return {
    name,
    title: told.get('title') ?? /^# (.+)$/m.exec(markdown)?.[1] ?? name,
    description: told.get('description') ?? firstParagraph(markdown),
    language: told.get('language') ?? 'en',
    published: day('published'),
    updated: day('updated') ?? day('published'),
    author: told.get('author'),
    order: told.has('order') ? Number(told.get('order')) : undefined,
    video: told.get('video'),
    videoTitle: told.get('videoTitle'),
    videoSeconds: told.has('videoSeconds') ? Number(told.get('videoSeconds')) : undefined,
    markdown,
  }
}

function firstParagraph(markdown: string): string {
  const text = markdown.replace(/<!--[\s\S]*?-->/g, '')
  const paragraph = text.split(/\n{2,}/).find((part) => /^[^#|<\s]/.test(part)) ?? ''
  return paragraph
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*_]/g, '')
    .replace(/\s+/g, ' ')
    .slice(0, 300)
}
