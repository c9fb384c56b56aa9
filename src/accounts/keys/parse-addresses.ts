import ipaddr from 'ipaddr.js'

export type AddressList = { kind: 'parsed'; ranges: string[] } | { kind: 'invalid'; address: string }

/** Each entry as a canonical CIDR range: one address is /32 or /128, an IPv4-mapped range becomes the IPv4 one. */
export function parseAddresses(entries: readonly string[]): AddressList {
  const ranges: string[] = []
  for (const entry of entries) {
    const range = parseRange(entry.trim())
    if (range === undefined) return { kind: 'invalid', address: entry }
    ranges.push(range)
  }
  return { kind: 'parsed', ranges: [...new Set(ranges)] }
}

function parseRange(text: string): string | undefined {
  const [address = '', prefix, ...more] = text.split('/')
  // ipaddr.js alone would take "10.1" and "0x7f.1" for IPv4 addresses, which nobody means.
  const plain = ipaddr.IPv4.isValidFourPartDecimal(address) || (address.includes(':') && ipaddr.IPv6.isValid(address))
  if (!plain || address.includes('%') || more.length > 0) return undefined
  const parsed = ipaddr.parse(address)
  const bitsMax = parsed.kind() === 'ipv4' ? 32 : 128
  const bits = prefix === undefined ? bitsMax : /^\d{1,3}$/.test(prefix) ? Number(prefix) : -1
  if (bits < 0 || bits > bitsMax) return undefined
  if (parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() && bits >= 96) {
    return network(parsed.toIPv4Address(), bits - 96)
  }
  return network(parsed, bits)
}

function network(address: ipaddr.IPv4 | ipaddr.IPv6, bits: number): string {
  const kind = address instanceof ipaddr.IPv4 ? ipaddr.IPv4 : ipaddr.IPv6
  return `${kind.networkAddressFromCIDR(`${address.toString()}/${bits}`).toString()}/${bits}`
}
