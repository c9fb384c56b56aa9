import ipaddr from 'ipaddr.js'

/** Is `address` in one of the ranges (as `parseAddresses` makes them)? No ranges: yes. Not an address: no. */
export function addressAllowed(ranges: readonly string[], address: string): boolean {
  if (ranges.length === 0) return true
  if (!ipaddr.isValid(address)) return false
  // process() turns ::ffff:10.0.0.1, as a socket of both families tells IPv4 callers, into 10.0.0.1.
  const caller = ipaddr.process(address)
  return ranges.some((range) => {
    const [network, bits] = ipaddr.parseCIDR(range)
    return network.kind() === caller.kind() && caller.match(network, bits)
  })
}
