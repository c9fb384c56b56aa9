import { domainToASCII } from 'node:url'

/** What a query asks for, in parts. Texts are NFKC, as written otherwise; hosts are ASCII and lower case. */
export type ParsedQuery = {
  /** Free words in order, phrases too: what is scored, highlighted and compared with titles. */
  text: string
  phrases: string[]
  inTitle: string[]
  without: string[]
  withoutInTitle: string[]
  sites: string[]
  withoutSites: string[]
  fileTypes: string[]
  languages: string[]
}

/** `-`, an operator's name, then a quoted text or a word. What does not end is taken as it is. */
const PART = /(-)?(?:(site|intitle|filetype|lang):)?(?:"([^"]*)"?|([^\s"]+))/giu
const HOST = /^(?!-)[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/

/** Reads `site:`, `-site:`, `-word`, `"phrase"`, `intitle:`, `filetype:`, `lang:`. Never throws: what is no operator is a word. */
export function parseQuery(query: string): ParsedQuery {
  const parsed: ParsedQuery = {
    text: '',
    phrases: [],
    inTitle: [],
    without: [],
    withoutInTitle: [],
    sites: [],
    withoutSites: [],
    fileTypes: [],
    languages: [],
  }
  const words: string[] = []
  const plain = query.normalize('NFKC').replaceAll(/[“”„«»]/g, '"')
  for (const [whole, minus, name, quoted, word] of plain.matchAll(PART)) {
    const value = (quoted ?? word ?? '').trim()
    if (value === '') continue
    const operator = name?.toLowerCase() ?? ''
    if (operator === '' || !readOperator(parsed, operator, value, minus !== undefined)) {
      if (minus === undefined) {
        words.push(operator === '' ? value : whole.trim())
        if (quoted !== undefined && operator === '') parsed.phrases.push(value)
      } else if (/[\p{L}\p{N}]/u.test(value)) parsed.without.push(value)
    }
  }
  parsed.text = words.join(' ')
  return parsed
}

/** False if the value is none for this operator. */
function readOperator(parsed: ParsedQuery, name: string, value: string, minus: boolean): boolean {
  if (name === 'intitle') {
    ;(minus ? parsed.withoutInTitle : parsed.inTitle).push(value)
    return true
  }
  if (name === 'site') {
    const host = parseHost(value)
    if (host === undefined) return false
    ;(minus ? parsed.withoutSites : parsed.sites).push(host)
    return true
  }
  if (minus) return false
  const lower = value.toLowerCase()
  if (name === 'filetype' && /^\.?[a-z0-9]{1,10}$/.test(lower)) {
    const type = lower.replace(/^\./, '')
    parsed.fileTypes.push(type === 'htm' ? 'html' : type)
    return true
  }
  if (name !== 'lang' || !/^[a-z]{2}(?:[-_][a-z0-9]+)*$/.test(lower)) return false
  parsed.languages.push(lower.slice(0, 2))
  return true
}

/** `https://www.Example.org/path`, `*.example.org` and `.example.org` name hosts too. */
function parseHost(value: string): string | undefined {
  const bare = value
    .replace(/^[a-z]+:\/\//i, '')
    .replace(/[/?#].*$/, '')
    .replace(/:\d+$/, '')
    .replace(/^(?:\*?\.)+/, '')
    .replace(/\.$/, '')
  const host = domainToASCII(bare)
  return HOST.test(host) ? host : undefined
}
