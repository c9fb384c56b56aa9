/** Letters and digits only, lower case, NFKC: how titles, site names and hosts are compared with a query. */
export function squash(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '')
}

/** 32 bits of a text (FNV-1a over UTF-16 units); 0 only for the empty one. */
export function hashText(text: string): number {
  if (text === '') return 0
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0 || 1
}
