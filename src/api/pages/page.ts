import { readFileSync } from 'node:fs'

export const STYLE = readFileSync(new URL('style.css', import.meta.url), 'utf8')
export const ICON = readFileSync(new URL('icon.svg', import.meta.url), 'utf8')

/** What both pages show of this server. */
export type Place = {
  /** Where clients reach this server, without a path. */
  baseUrl: string
  /** True: clients must be told to trust `/ca.pem`. */
  ownAuthority: boolean
}

/** What a page has beyond the common frame. `head` is HTML; `nav`: which of the site's places it belongs to. */
export type Frame = { head?: string; nav?: 'search' | 'manual' | 'reference'; language?: string }

/** For `head`: the name under which search results show the pages outside the manual. */
export const SITE_NAME = '<meta property="og:site_name" content="Unmask">\n'

const NAV = [
  ['search', '/search', 'Search'],
  ['manual', '/docs/', 'Manual'],
  ['reference', '/docs/api/', 'API reference'],
] as const

/** The frame of every page: one style sheet, no script of its own. `main` is HTML. */
export function renderPage(title: string, main: string, frame: Frame = {}): string {
  const links = NAV.map(
    ([name, href, text]) => `<a href="${href}"${name === frame.nav ? ' aria-current="page"' : ''}>${text}</a>`,
  )
  return `<!doctype html>
<html lang="${frame.language ?? 'en'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)}</title>
<link rel="icon" href="/docs/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs/style.css">
${frame.head ?? ''}</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header><div>
<a class="brand" href="/"><img src="/docs/icon.svg" alt="">Unmask</a>
<nav aria-label="Site">${links.join(' ')}</nav>
</div></header>
${main}
</body>
</html>
`
}

/** Text as HTML text. */
export function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** Text with `code` between backticks. */
export function prose(text: string): string {
  return escape(text).replace(/`([^`]+)`/g, '<code>$1</code>')
}

/** A block to copy: it can be reached and scrolled by keyboard. */
export function codeBlock(caption: string, code: string): string {
  const label = escape(caption)
  return `<figure><figcaption>${label}</figcaption><pre tabindex="0" aria-label="${label}"><code>${escape(code)}</code></pre></figure>`
}

/** `rows` are HTML. */
export function table(label: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
  return `<div class="scroll" role="region" aria-label="${escape(label)}" tabindex="0"><table>
<thead><tr>${head.map((cell) => `<th scope="col">${escape(cell)}</th>`).join('')}</tr></thead>
<tbody>${rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('\n')}</tbody></table></div>`
}
