/** A calendar day of a zone: its date, and when it ends (epoch ms). */
export type Day = { date: string; startsAt: number; endsAt: number }

/** Days of 23 or 25 hours, and days that begin at one o'clock, come out right: the zone's own rules are asked. */
export function dayAt(now: number, zone: string): Day {
  const start = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone).startOfDay()
  const end = start.add({ days: 1 }).startOfDay()
  return {
    date: start.toPlainDate().toString(),
    startsAt: start.epochMilliseconds,
    endsAt: end.epochMilliseconds,
  }
}

/** `dayAt`, asking the zone's rules once a day only. Throws RangeError for a zone that does not exist. */
export function createCalendar(zone: string): (now: number) => Day {
  let day = dayAt(0, zone)
  return (now) => {
    if (now < day.startsAt || now >= day.endsAt) day = dayAt(now, zone)
    return day
  }
}
