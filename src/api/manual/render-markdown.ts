import { Marked } from 'marked'
import { codeBlock, escape } from '../pages/page.ts'

/** Addresses in the manual's examples stand for this server's own. */
const EXAMPLE_BASE = 'https://127.0.0.1:8443'
const CAPTIONS: Record<string, string> = { sh: 'Shell', json: 'JSON', ts: 'TypeScript', js: 'JavaScript', py: 'Python' }

export type Section = { id: string; text: string }

/** Markdown of ours as HTML in the pages' own style. What a stranger wrote never comes here. */
export function renderMarkdown(markdown: string, baseUrl: string): { html: string; sections: Section[] } {
  const sections: Section[] = []
  const labels = new Set<string>()
  let under = ''
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth, text }) {
        const id = anchorOf(text)
        under = text.replaceAll('`', '')
        if (depth === 2) sections.push({ id, text: text.replaceAll('`', '') })
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      code({ text, lang }) {
        return codeBlock(CAPTIONS[lang ?? ''] ?? lang ?? 'Text', text)
      },
      table({ header, rows }) {
        const cells = (row: typeof header, tag: string): string =>
          row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag.split(' ')[0]}>`).join('')
        const label = escape(newLabel(labels, under === '' ? 'Table' : under))
        const body = rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n')
        return `<div class="scroll" role="region" aria-label="${label}" tabindex="0"><table><thead><tr>${cells(header, 'th scope="col"')}</tr></thead><tbody>${body}</tbody></table></div>\n`
      },
      link({ href, tokens }) {
        return `<a href="${escape(siteAddress(href))}">${this.parser.parseInline(tokens)}</a>`
      },
      image({ href, text, title }) {
        const caption = title === null || title === undefined ? '' : `<figcaption>${escape(title)}</figcaption>`
        return `<figure class="picture"><img src="${escape(siteAddress(href))}" alt="${escape(text)}">${caption}</figure>`
      },
    },
  })
  const html = marked.parse(markdown.replaceAll(EXAMPLE_BASE, baseUrl), { async: false })
  // A figure is no part of a paragraph.
  return { html: html.replace(/<p>(<figure class="picture">[\s\S]*?<\/figure>)<\/p>/g, '$1'), sections }
}

/** Regions of one page need names of their own. */
function newLabel(known: Set<string>, wanted: string): string {
  const label = known.has(wanted) ? `${wanted}, table ${known.size + 1}` : wanted
  known.add(label)
  return label
}

/** A heading's id, as GitHub makes it, so that links between the files work on both. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')
}

/** `search.md#paging` → `/docs/search/#paging`; `media/x.svg` → `/docs/media/x.svg`. */
function siteAddress(href: string): string {
  const [path = '', hash] = href.split('#')
  if (path === '' || /^([a-z]+:|\/)/.test(path)) return href
  const file = path.split('/').at(-1) ?? ''
  const page = /^(.*)\.md$/.exec(file)?.[1]
  const target = page === undefined ? `/docs/media/${file}` : page === 'index' ? '/docs/' : `/docs/${page}/`
  return hash === undefined ? target : `${target}#${hash}`
}
