const UNIT_MS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** "90s", "15m", "12h", "30d", "2w" or "0" in milliseconds; undefined for anything else. */
export function parseDurationMs(text: string): number | undefined {
  if (text === '0') return 0
  const [, count, unit] = /^(\d{1,6})([smhdw])$/.exec(text) ?? []
  const unitMs = UNIT_MS[unit ?? '']
  return unitMs === undefined ? undefined : Number(count) * unitMs
}
