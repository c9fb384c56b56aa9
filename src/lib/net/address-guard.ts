import ipaddr from 'ipaddr.js'

type V4 = [ipaddr.IPv4, number]
type V6 = [ipaddr.IPv6, number]

/** IANA special-purpose IPv4 blocks (RFC 6890 and its registry), multicast and the reserved upper end. */
const V4_REFUSED: V4[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
].map((block) => ipaddr.IPv4.parseCIDR(block))

/** All of IPv6 that is public unicast today (RFC 4291): loopback, ULA, link-local, multicast, mapped v4 and NAT64 are outside. */
const V6_PUBLIC: V6 = ipaddr.IPv6.parseCIDR('2000::/3')

/** Inside it, and yet no public host: protocol blocks with Teredo and ORCHID, documentation, 6to4 (all carry other addresses). */
const V6_REFUSED: V6[] = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'].map((block) =>
  ipaddr.IPv6.parseCIDR(block),
)

/**
 * Whether an IP address is a public unicast one. Everything else is refused: private, loopback, link-local, unique-local,
 * shared (CGNAT), multicast, unspecified, broadcast, documentation, benchmarking, and every IPv6 form that carries an
 * IPv4 address (mapped, 6to4, NAT64, Teredo), because what stands inside it is a second address nobody checked.
 * `address` is canonical text as sockets and resolvers give it; anything that is no address is refused.
 */
export function isPublicAddress(address: string): boolean {
  if (isFourParts(address)) {
    const v4 = ipaddr.IPv4.parse(address)
    return !V4_REFUSED.some((block) => v4.match(block))
  }
  if (!ipaddr.IPv6.isValid(address)) return false
  const v6 = ipaddr.IPv6.parse(address)
  return v6.match(V6_PUBLIC) && !V6_REFUSED.some((block) => v6.match(block))
}

/**
 * The IP address that a URL's host is, or undefined for a name. `hostname` comes from the WHATWG URL parser, which has
 * already turned decimal, hexadecimal, octal and short IPv4 forms into four decimal parts and put IPv6 into brackets.
 */
export function literalAddress(hostname: string): string | undefined {
  if (hostname.startsWith('[') && hostname.endsWith(']')) return hostname.slice(1, -1)
  return isFourParts(hostname) ? hostname : undefined
}

/** The pattern first: for a name the parser throws, and most hosts are names. */
function isFourParts(text: string): boolean {
  return /^\d{1,3}(?:\.\d{1,3}){3}$/.test(text) && ipaddr.IPv4.isValidFourPartDecimal(text)
}
