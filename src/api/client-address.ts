import ipaddr from 'ipaddr.js'

/** Whether a peer's word about others is believed: `unix`, a single address, or a CIDR range. */
export function isTrusted(address: string, trusted: readonly string[]): boolean {
  if (address === 'unix') return trusted.includes('unix')
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return trusted.some((entry) => {
    if (entry === 'unix') return false
    if (!entry.includes('/')) return ipaddr.isValid(entry) && ipaddr.process(entry).toString() === parsed.toString()
    const [range, bits] = ipaddr.parseCIDR(entry)
    return range.kind() === parsed.kind() && parsed.match(range, bits)
  })
}

/**
 * Whose request it is: the peer, or, where the peer is a trusted proxy, the last address of X-Forwarded-For that is not
 * one. Read from the right, because everything to the left of the first stranger is what that stranger wrote.
 */
export function clientAddress(
  peer: string | undefined,
  forwarded: string | undefined,
  trusted: readonly string[],
): string {
  let address = peer === undefined || peer === '' ? 'unix' : plain(peer)
  const hops = forwarded === undefined ? [] : forwarded.split(',').map((hop) => hop.trim())
  while (hops.length > 0 && isTrusted(address, trusted)) {
    const hop = hops.pop() ?? ''
    // A hop that is no address: what the proxy says cannot be read, so the proxy itself is the nearest that is known.
    if (!ipaddr.isValid(hop)) return address
    address = plain(hop)
  }
  return address
}

/** IPv4 written as mapped IPv6 is IPv4. */
function plain(address: string): string {
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : address
}
