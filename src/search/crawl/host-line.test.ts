import { equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { HostLine, type HostPlace } from './host-line.ts'

function lineOf(hosts: Record<string, Partial<HostPlace>>): HostLine {
  const line = new HostLine()
  for (const [host, more] of Object.entries(hosts)) {
    Object.assign(
      line.add(host, 1, () => ({ nextAt: 0, failures: 0 })),
      more,
    )
  }
  return line
}

describe('who is asked next', () => {
  test('the host that has been due longest', () => {
    const line = lineOf({ a: { nextAt: 5 }, b: { nextAt: 3 }, c: { nextAt: 20 } })
    equal(line.nextReady(10)?.host, 'b')
    equal(line.nextAt(), 3)
  })

  test('nobody before the time', () => equal(lineOf({ a: { nextAt: 11 } }).nextReady(10), undefined))

  test('nobody twice at once', () => {
    const line = lineOf({ a: {} })
    const place = line.nextReady(1)
    if (place !== undefined) line.claim(place)
    equal(line.nextReady(1), undefined)
    equal(line.nextAt(), undefined)
    if (place !== undefined) line.release(place, place.address)
    equal(line.nextReady(1)?.host, 'a')
  })

  test('no address twice at once, whatever names lead there', () => {
    const line = lineOf({ a: { address: '192.0.2.1' }, b: { address: '192.0.2.1' }, c: { address: '192.0.2.2' } })
    const first = line.nextReady(1)
    equal(first?.host, 'a')
    if (first !== undefined) line.claim(first)
    const second = line.nextReady(1)
    equal(second?.host, 'c')
    if (second !== undefined) line.claim(second)
    equal(line.nextReady(1), undefined)
    if (first !== undefined) line.release(first, first.address)
    Object.assign(first ?? {}, { nextAt: 100 })
    equal(line.nextReady(1)?.host, 'b')
  })

  test('nobody who has no URL waiting', () => {
    const line = lineOf({ a: { waiting: 0 } })
    equal(line.nextReady(1), undefined)
    equal(line.isEmpty(), true)
    line.add('a', 2, () => ({ nextAt: 0, failures: 0 }))
    equal(line.waiting(), 2)
  })
})
