export type Header = [name: string, value: string]

/** The first value of a header, by its lower-case name. */
export function findHeader(headers: readonly Header[], name: string): string | undefined {
  return headers.find(([given]) => given.toLowerCase() === name)?.[1]
}

/** All values of a header, by its lower-case name. */
export function findHeaders(headers: readonly Header[], name: string): string[] {
  return headers.filter(([given]) => given.toLowerCase() === name).map(([, value]) => value)
}
