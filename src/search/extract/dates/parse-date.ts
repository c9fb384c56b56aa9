/** A date as a page writes it. `day` is the calendar day as written (`2025-09-04`), `at` the instant in epoch ms. */
export type WrittenDate = { at: number; dayOnly: boolean; day: string }

/** A day alone is midnight UTC+8, the zone that answers are given in. */
const SHOWN_OFFSET_MS = 8 * 3_600_000
const YEAR_MIN = 1990

const MONTHS = monthTable({
  1: 'january jan januar jänner janvier janv enero ene gennaio gen janeiro januari styczeń stycznia leden ledna январь января янв ocak tammikuu ianuarie',
  2: 'february feb februar février févr fev febrero febbraio fevereiro februari luty lutego únor února февраль февраля фев şubat helmikuu februarie',
  3: 'march mar märz maerz mär mars marzo março maart marzec marca březen března март марта мар mart maaliskuu martie',
  4: 'april apr avril avr abril abr aprile kwiecień kwietnia duben dubna апрель апреля апр nisan huhtikuu aprilie',
  5: 'may mai mayo maggio mag maio mei maj maja květen května май мая mayıs toukokuu',
  6: 'june jun juni juin junio giugno giu junho czerwiec czerwca červen června июнь июня июн haziran kesäkuu iunie',
  7: 'july jul juli juillet juil julio luglio lug julho lipiec lipca červenec července июль июля июл temmuz heinäkuu iulie',
  8: 'august aug août aout agosto ago augustus augusti sierpień sierpnia srpen srpna август августа авг ağustos elokuu',
  9: 'september sept sep septembre septiembre settembre set setembro wrzesień września září сентябрь сентября сен eylül syyskuu septembrie',
  10: 'october oct oktober okt octobre octubre ottobre ott outubro październik października říjen října октябрь октября окт ekim lokakuu octombrie',
  11: 'november nov novembre noviembre novembro listopad listopada listopadu ноябрь ноября ноя kasım marraskuu noiembrie',
  12: 'december dec dezember dez décembre déc diciembre dic dicembre dezembro grudzień grudnia prosinec prosince декабрь декабря дек aralık joulukuu decembrie',
})
const NAMES = [...MONTHS.keys()].toSorted((a, b) => b.length - a.length).join('|')

const ISO =
  /(?<![\d-])(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})?)?(?!\d)/i
const YMD = /(?<!\d)((?:19|20)\d{2})\s?[./年-]\s?(\d{1,2})\s?[./月-]\s?(\d{1,2})(?!\d)/
const KOREAN = /(?<!\d)((?:19|20)\d{2})년\s*(\d{1,2})월\s*(\d{1,2})일/
const COMPACT = /^((?:19|20)\d{2})(\d{2})(\d{2})(?:\d{6}|T\d{4,6}Z?)?$/
const MONTH_FIRST = new RegExp(
  String.raw`(?<!\p{L})(${NAMES})\.?\s+(\d{1,2})(?:st|nd|rd|th)?(?:\s*,\s*|\s+|\s+at\s+)((?:19|20)\d{2})(?!\d)`,
  'iu',
)
const DAY_FIRST = new RegExp(
  String.raw`(?<!\d)(\d{1,2})(?:st|nd|rd|th|er|º|\.)?[\s.-]+(?:of\s+|de\s+|d['’])?(${NAMES})\.?,?[\s-]+(?:de\s+|del\s+)?((?:19|20)\d{2})(?!\d)`,
  'iu',
)
const NUMERIC = /(?<![\d/.-])(\d{1,2})([./-])(\d{1,2})\2((?:19|20)\d{2}|\d{2})(?![\d/-])/

/**
 * The first date in a short text, of the forms people and machines write. `monthFirst` says how 03/04/2025 is read where neither number
 * is above 12. Impossible days, days before 1990 and days after `latest` are no dates.
 */
export function parseDate(text: string, rules: { monthFirst: boolean; latest: number }): WrittenDate | undefined {
  const sample = text.slice(0, 300)
  const found = parseIso(sample) ?? parseWords(sample) ?? parseNumbers(sample, rules.monthFirst)
  return found !== undefined && found.at <= rules.latest && Number(found.day.slice(0, 4)) >= YEAR_MIN
    ? found
    : undefined
}

function parseIso(text: string): WrittenDate | undefined {
  const match = ISO.exec(text)
  if (match === null) {
    const compact = COMPACT.exec(text.trim())
    return compact === null ? undefined : makeDay(compact[1], compact[2], compact[3])
  }
  const [, year, month, day, hour, minute, second, zone] = match
  const base = makeDay(year, month, day)
  if (base === undefined || hour === undefined || Number(hour) > 23 || Number(minute) > 59) return base
  // Exactly midnight without a zone is what systems write that know only the day.
  if (zone === undefined && Number(hour) === 0 && Number(minute) === 0 && Number(second ?? 0) === 0) return base
  const time = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second ?? 0))
  return { at: time - zoneOffset(zone ?? 'Z'), dayOnly: false, day: base.day }
}

function zoneOffset(zone: string): number {
  const match = /^([+-])(\d{2}):?(\d{2})$/.exec(zone)
  if (match === null) return 0
  const minutes = Number(match[2]) * 60 + Number(match[3])
  return (match[1] === '-' ? -1 : 1) * (minutes > 14 * 60 ? 0 : minutes) * 60_000
}

function parseWords(text: string): WrittenDate | undefined {
  const month = MONTH_FIRST.exec(text)
  const day = DAY_FIRST.exec(text)
  if (month !== null && (day === null || month.index <= day.index))
    return makeDay(month[3], MONTHS.get(month[1]?.toLowerCase() ?? ''), month[2])
  return day === null ? undefined : makeDay(day[3], MONTHS.get(day[2]?.toLowerCase() ?? ''), day[1])
}

function parseNumbers(text: string, monthFirst: boolean): WrittenDate | undefined {
  const ordered = YMD.exec(text) ?? KOREAN.exec(text)
  if (ordered !== null) return makeDay(ordered[1], ordered[2], ordered[3])
  const match = NUMERIC.exec(text)
  if (match === null) return undefined
  const [, first = '', separator, second = '', year = ''] = match
  if (year.length === 2 && separator === '-') return undefined
  const full = year.length === 2 ? `20${year}` : year
  // Dots are written where the day comes first.
  const swapped = Number(first) > 12 || (Number(second) <= 12 && (separator === '.' || !monthFirst))
  return swapped ? makeDay(full, second, first) : makeDay(full, first, second)
}

type Part = string | number | undefined

function makeDay(year: Part, month: Part, day: Part): WrittenDate | undefined {
  const [y, m, d] = [Number(year), Number(month), Number(day)]
  if (!(m >= 1 && m <= 12 && d >= 1 && d <= 31)) return undefined
  const time = Date.UTC(y, m - 1, d)
  if (new Date(time).getUTCDate() !== d) return undefined
  return { at: time - SHOWN_OFFSET_MS, dayOnly: true, day: new Date(time).toISOString().slice(0, 10) }
}

function monthTable(names: Record<number, string>): Map<string, number> {
  return new Map(
    Object.entries(names).flatMap(([month, list]) =>
      list.split(' ').map((name): [string, number] => [name, Number(month)]),
    ),
  )
}
