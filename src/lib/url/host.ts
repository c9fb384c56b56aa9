import { getDomain } from 'tldts'

/** Whether `host` is `suffix` or stands under it, on a label's boundary: "docs.example.org" is, "badexample.org" is not. */
export function isUnderHost(host: string, suffix: string): boolean {
  return host === suffix || (host.endsWith(suffix) && host.charAt(host.length - suffix.length - 1) === '.')
}

/** What one registrant holds ("example.co.uk"), by the public suffix list; the host itself for addresses and bare names. */
export function registrableDomain(host: string): string {
  return getDomain(host, { allowPrivateDomains: true }) ?? host
}

/**
 * A host as a person writes it ("Bücher.example", "*.Example.org.", "https://example.org/x") in ASCII, lower case; undefined where
 * that is no host.
 */
export function parseHost(text: string): string | undefined {
  const bare = text
    .trim()
    .replace(/^[a-z]+:\/\//i, '')
    .replace(/[/?#].*$/, '')
    .replace(/^\*?\./, '')
  if (bare === '' || /[@\s]/.test(bare)) return undefined
  const host = URL.parse(`http://${bare}`)?.hostname.replace(/\.+$/, '')
  return host === undefined || host === '' ? undefined : host
}
