import type { Head } from './head.ts'

/** What the page and its header allow: `noindex`, `nofollow`, `none`, `unavailable_after`, for all robots or for ours. */
export function readRobots(
  head: Head,
  header: string | undefined,
  now: number,
): { noindex: boolean; nofollow: boolean } {
  const rules = [...(head.meta.get('robots') ?? []), ...(head.meta.get('unmask') ?? []), ...headerRules(header ?? '')]
  const directives = new Set(rules.flatMap((rule) => rule.toLowerCase().split(',')).map((rule) => rule.trim()))
  const has = (name: string): boolean => directives.has(name) || directives.has('none')
  return { noindex: has('noindex') || rules.some((rule) => isOver(rule, now)), nofollow: has('nofollow') }
}

/** A comma between rules; the one in `Wed, 03 Dec 2025` is part of a date. */
const BETWEEN = /,(?!\s*\d{1,2}[ -][a-z]{3}[ -]\d{2})/i

/** `X-Robots-Tag: otherbot: noindex` speaks to another robot only; a name holds until the next name. */
function headerRules(header: string): string[] {
  const rules: string[] = []
  let ours = true
  for (const piece of header.split(BETWEEN)) {
    const named = /^\s*([\w-]+)\s*:\s*(.*)$/s.exec(piece)
    const isName = named?.[1] !== undefined && !/^(?:unavailable_after|max-[\w-]+)$/i.test(named[1])
    if (isName) ours = /^(?:unmask|\*|robots)$/i.test(named[1] ?? '')
    if (ours) rules.push(isName ? (named[2] ?? '') : piece)
  }
  return rules
}

function isOver(rule: string, now: number): boolean {
  const date = /unavailable_after\s*:\s*(.+)$/i.exec(rule)?.[1]
  const at = date === undefined ? Number.NaN : Date.parse(date)
  return Number.isFinite(at) && at < now
}
