import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { describe, test } from 'node:test'
import type { ApiOptions } from '../../api/options.ts'
import { renderBanner, renderCurl, type Opening } from './banner.ts'
import { hostWarnings, privatePagesWarning } from './host-warnings.ts'
import { onSignals } from './signals.ts'

const plain = { paint: (_: unknown, text: string) => text }
const opening: Opening = {
  version: '1.2.3',
  baseUrl: 'https://127.0.0.1:8443',
  caFile: '/srv/data/tls/ca.pem',
  caFingerprint: 'CC:DD',
  fingerprint: 'AB:CD',
  models: ['Model', 'Model-MoE'],
  firstKey: { kind: 'secret', secret: 'um_live_x' },
  joined: false,
  startMs: 900,
}

describe('the first screen', () => {
  test('tells address, certificate, CA file, key and a line to paste', () => {
    const text = renderBanner(opening, plain)
    for (const part of [
      'https://127.0.0.1:8443/v1',
      'AB:CD',
      'CC:DD',
      '/srv/data/tls/ca.pem',
      'um_live_x',
      'https://127.0.0.1:8443/search',
      'https://127.0.0.1:8443/docs/',
      'curl -N',
    ]) {
      ok(text.includes(part), part)
    }
  })
  test('names the file instead of the key where the key was written to one', () => {
    const text = renderBanner({ ...opening, firstKey: { kind: 'file', path: '/srv/data/first-key' } }, plain)
    match(text, /First key +in \/srv\/data\/first-key/)
    match(text, /Bearer \$\(cat \/srv\/data\/first-key\)"/)
  })
  test('is short on later starts, and has no key', () => {
    const text = renderBanner({ ...opening, firstKey: undefined }, plain)
    ok(!text.includes('um_live_') && !text.includes('curl') && !text.includes('AB:CD'))
    match(text, /keys create/)
  })
})

test('paths with blanks and quotes survive the shell', () => {
  const firstKey = { kind: 'file', path: "/my data/it's" } as const
  const line = renderCurl({ ...opening, caFile: '/my data/ca.pem' }, firstKey)
  match(line, /--cacert '\/my data\/ca\.pem' /)
  ok(line.includes("$(cat '/my data/it'\\''s')"))
})

test('without a CA of our own the line names none', () => {
  ok(!renderCurl({ ...opening, caFile: undefined }, { kind: 'secret', secret: 'k' }).includes('--cacert'))
})

describe('an operator who lets other machines in is told so', () => {
  const warn = (options: Partial<ApiOptions>): number =>
    hostWarnings({ host: '127.0.0.1', names: [], unixSocket: '', tlsMode: 'self', ...options } as ApiOptions).length
  const cases: [options: Partial<ApiOptions>, count: number][] = [
    [{}, 0],
    [{ host: '127.8.0.1' }, 0],
    [{ host: '::1' }, 0],
    [{ host: 'localhost' }, 0],
    [{ host: '0.0.0.0' }, 2],
    [{ host: '::' }, 2],
    [{ host: '0.0.0.0', names: ['chat.example.org'] }, 1],
    [{ host: '192.0.2.7' }, 1],
    [{ host: '0.0.0.0', tlsMode: 'files' }, 1],
    [{ host: '0.0.0.0', tlsMode: 'proxy', unixSocket: '/run/a' }, 0],
  ]
  for (const [options, count] of cases) test(`${JSON.stringify(options)}: ${count}`, () => equal(warn(options), count))
})

describe('signals', () => {
  const listen = (): { emit(signal: string): void; seen: string[] } => {
    const seen: string[] = []
    const target = Object.assign(new EventEmitter(), {
      exit: (code: number) => void seen.push(`exit ${code}`),
      stdout: { isTTY: false },
    })
    onSignals(target as unknown as NodeJS.Process, {
      stop: (signal) => void seen.push(`stop by ${signal}`),
      reload: () => void seen.push('reload'),
    })
    return { emit: (signal) => void target.emit(signal), seen }
  }
  test('the first SIGTERM stops in order, the second one at once', () => {
    const { emit, seen } = listen()
    emit('SIGTERM')
    emit('SIGINT')
    deepEqual(seen, ['stop by SIGTERM', 'exit 130'])
  })
  test('SIGHUP reloads, as often as it comes', () => {
    const { emit, seen } = listen()
    emit('SIGHUP')
    emit('SIGHUP')
    deepEqual(seen, ['reload', 'reload'])
  })
})

test('private pages that everybody could search are warned of, and nothing else is', () => {
  const warn = (keylessSearch: string, host: string, pages: number, tlsMode = 'self'): string | undefined =>
    privatePagesWarning({ keylessSearch, host, tlsMode } as ApiOptions, pages)
  match(warn('on', '0.0.0.0', 2) ?? '', /2 pages from private networks .* set it to off/)
  match(warn('on', '127.0.0.1', 1, 'proxy') ?? '', /^1 page from/)
  equal(warn('on', '0.0.0.0', 0), undefined)
  equal(warn('auto', '0.0.0.0', 2), undefined)
  equal(warn('auto', '127.0.0.1', 2), undefined)
})
