/**
 * Parameters that name a campaign, a click or a visitor, never a page. Google, Meta, Microsoft, Mailchimp, HubSpot,
 * Matomo, Yandex and their like.
 */
const TRACKING =
  /^(?:utm_\w+|gclid|gclsrc|dclid|gbraid|wbraid|fbclid|msclkid|yclid|ymclid|_openstat|twclid|ttclid|igshid|igsh|mc_[ce]id|mkt_tok|_hs(?:enc|mi)|__hs(?:tc|sc|fp)|hsCtaTracking|vero_(?:conv|id)|oly_(?:enc|anon)_id|wickedid|rb_clickid|s_cid|mtm_\w+|pk_(?:campaign|kwd|source|medium|content)|_ga|_gl|spm|scm|ref_src|cmpid|ns_(?:campaign|mchannel|source|linkname|fee))$/i

/** Session ids as parameters: by name, and only where the value looks like one. */
const SESSION_NAME = /^(?:jsessionid|phpsessid|aspsessionid\w*|sessionid|session_id|sid|cfid|cftoken|zenid|osCsid)$/i
const SESSION_VALUE = /^[0-9a-z\-_.!]{16,}$/i
const SESSION_IN_PATH = /;(?:jsessionid|phpsessid|sid)=[^/?#;]*/gi

const URL_LENGTH_MAX = 2048

/**
 * One spelling for every URL that means the same page, after the rules of crawler-commons' BasicURLNormalizer and RFC
 * 3986 §6: lower-case scheme and ASCII host without its last dot, no default port, no fragment, no empty query, dot
 * segments and doubled slashes gone, needless escapes undone and needed ones in capitals, parameters sorted, tracking
 * and session ids gone. undefined for what is no http(s) URL, carries credentials or is longer than 2,048 characters.
 * `base` makes relative links absolute. Normalising twice changes nothing.
 */
export function normaliseUrl(text: string, base?: string): string | undefined {
  const url = URL.parse(text.trim(), base)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined
  if (url.username !== '' || url.password !== '') return undefined
  const host = url.hostname.replace(/\.+$/, '')
  if (host === '') return undefined
  const path = normalisePath(url.pathname)
  const query = normaliseQuery(url.search.slice(1))
  const port = url.port === '' ? '' : `:${url.port}`
  const whole = `${url.protocol}//${host}${port}${path}${query === '' ? '' : `?${query}`}`
  return whole.length > URL_LENGTH_MAX ? undefined : whole
}

function normalisePath(path: string): string {
  const spelt = normaliseEscapes(path.replace(SESSION_IN_PATH, ''), UNRESERVED_IN_PATH).replace(/\/{2,}/g, '/')
  // Undone escapes may have brought new dot segments to light ("%2e%2e" is one for the URL parser, "a//.." is not).
  const kept: string[] = []
  for (const segment of spelt.split('/').slice(1)) {
    if (segment === '..') kept.pop()
    if (segment !== '..' && segment !== '.') kept.push(segment)
  }
  const endsInFolder = /\/\.{1,2}$/.test(spelt) && kept.at(-1) !== ''
  return `/${kept.join('/')}${endsInFolder && kept.length > 0 ? '/' : ''}`
}

function normaliseQuery(query: string): string {
  if (query === '') return ''
  const kept = query.split('&').flatMap((pair) => {
    const [name = '', ...rest] = pair.split('=')
    const value = rest.join('=')
    if (name === '' || TRACKING.test(name)) return []
    if (SESSION_NAME.test(name) && SESSION_VALUE.test(value)) return []
    const spelt = normaliseEscapes(value === '' ? name : `${name}=${value}`, NOTHING)
    return [spelt]
  })
  return kept.toSorted(byCodeUnit).join('&')
}

function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** RFC 3986 §2.3: escaping these never changes what is meant. */
const UNRESERVED_IN_PATH = /[A-Za-z0-9\-._~]/
/** A query is form data: its escapes stay as they are but for their case. */
const NOTHING = /(?!)/

function normaliseEscapes(text: string, undone: RegExp): string {
  const whole = text.replace(/%(?![0-9a-f]{2})/gi, '%25').replace(/%([0-9a-f]{2})/gi, (escape, hex: string) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16))
    return undone.test(character) ? character : escape.toUpperCase()
  })
  return whole.replace(/["<>^`{|}[\]\\ ]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
}
