import ipaddr from 'ipaddr.js'

/**
 * Under which name an address is counted where there is no key: an IPv6 /64 is one caller (a single line holds that
 * many addresses), an IPv4-mapped address is the IPv4 one. What is no address shares one name.
 */
export function addressKey(address: string): string {
  if (!ipaddr.isValid(address)) return 'no-address'
  const caller = ipaddr.process(address)
  if (caller instanceof ipaddr.IPv4) return caller.toString()
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${new ipaddr.IPv6(caller.parts).toString()}/64`).toString()}/64`
}
