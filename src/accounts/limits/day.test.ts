import { deepEqual, equal, throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { createCalendar, dayAt } from './day.ts'

const HOUR_MS = 3_600_000

describe('the day turns at midnight of the zone', () => {
  test('UTC', () => {
    const noon = Date.UTC(2026, 1, 28, 12)
    deepEqual(dayAt(noon, 'UTC'), {
      date: '2026-02-28',
      startsAt: Date.UTC(2026, 1, 28),
      endsAt: Date.UTC(2026, 2, 1),
    })
  })
  test('Tokyo is nine hours ahead', () => {
    equal(dayAt(Date.UTC(2026, 0, 1, 14, 59, 59, 999), 'Asia/Tokyo').date, '2026-01-01')
    equal(dayAt(Date.UTC(2026, 0, 1, 15), 'Asia/Tokyo').date, '2026-01-02')
  })
  const lengths: [string, string, number, number][] = [
    ['clocks go forward', 'America/New_York', Date.UTC(2026, 2, 8, 12), 23],
    ['clocks go back', 'America/New_York', Date.UTC(2026, 10, 1, 12), 25],
    ['clocks go forward at midnight, so the day begins at one', 'Africa/Cairo', Date.UTC(2026, 3, 24, 12), 23],
    ['half an hour', 'Australia/Lord_Howe', Date.UTC(2026, 3, 4, 14), 24.5],
  ]
  for (const [name, zone, now, hours] of lengths) {
    test(`${name} in ${zone}: the day has ${hours} hours`, () => {
      const day = dayAt(now, zone)
      equal((day.endsAt - day.startsAt) / HOUR_MS, hours)
    })
  }
  test('days follow one another without gap or overlap, in every zone', () => {
    const zones = ['UTC', 'America/New_York', 'Asia/Kathmandu', 'Africa/Cairo', 'Pacific/Apia', 'Australia/Lord_Howe']
    const moment = fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2040, 0, 1) })
    fc.assert(
      fc.property(fc.constantFrom(...zones), moment, (zone, now) => {
        const day = dayAt(now, zone)
        equal(day.startsAt <= now && now < day.endsAt, true)
        deepEqual(dayAt(day.startsAt, zone), day)
        deepEqual(dayAt(day.endsAt - 1, zone), day)
        equal(dayAt(day.endsAt, zone).startsAt, day.endsAt)
      }),
    )
  })
})

test('the calendar that remembers its day tells the same as the one that does not', () => {
  const calendar = createCalendar('Europe/Paris')
  const moments = fc.array(fc.integer({ min: Date.UTC(2026, 2, 27), max: Date.UTC(2026, 3, 2) }))
  fc.assert(fc.property(moments, (all) => all.forEach((now) => deepEqual(calendar(now), dayAt(now, 'Europe/Paris')))))
})

test('a zone that does not exist is refused', () => {
  throws(() => createCalendar('Mars/Olympus'), RangeError)
})
