/** `D:20230402153000+02'00'` (ISO 32000-1, 7.9.4) as epoch ms; what is missing counts as its least value, a missing zone as UTC. */
export function parsePdfDate(text: string): number | undefined {
  const match = /^(?:D:)?(\d{4})(\d{2})?(\d{2})?(\d{2})?(\d{2})?(\d{2})?(?:Z|([+-])(\d{2})'?(\d{2})?'?)?/.exec(
    text.trim(),
  )
  if (match === null) return undefined
  const [year, month = '01', day = '01', hour = '00', minute = '00', second = '00'] = match.slice(1, 7)
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  if (!Number.isFinite(at) || Number(year) < 1990) return undefined
  const offset = (Number(match[8] ?? 0) * 60 + Number(match[9] ?? 0)) * 60_000
  return at - (match[7] === '-' ? -offset : offset)
}
