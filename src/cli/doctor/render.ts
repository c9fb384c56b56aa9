import type { Report } from '../doctor.ts'
import { renderTable, type Terminal } from '../terminal.ts'

/** The report for people: what was found, then what needs a hand. */
export function renderReport(report: Report, terminal: Terminal): string {
  const { machine, engine, data, tls } = report
  const bound = machine.cgroupCores === undefined ? '' : `, ${machine.cgroupCores} granted by the control group`
  const rows: [string, string][] = [
    ['Unmask', `${report.version} on Node ${report.node.version} (${machine.platform})`],
    ['Processor', `${machine.processor}, ${machine.cores} cores${bound}`],
    ['Instruction sets', machine.instructionSets.join(' ') || 'not told by this system'],
    ['Memory', bytes(machine.memoryBytes)],
    ['Engine threads', threads(engine)],
    [
      'ggml',
      engine.ggml === undefined
        ? 'not loaded'
        : `${engine.ggml.version}, ${engine.ggml.device}, self-test passed in ${engine.ggml.selfTestMs} ms`,
    ],
    ['', engine.ggml?.folder ?? ''],
    ['Products', engine.ggml?.products ?? 'not checked'],
    ...report.packages.map((one, i): [string, string] => [
      i === 0 ? 'Native packages' : '',
      `${one.name} ${one.version}: ${one.installed ? inUse(one.inUse) : 'missing'}`,
    ]),
    ...report.models.map((model, i): [string, string] => [
      i === 0 ? 'Models' : '',
      `${model.id}: ${model.file}, ${model.bytes === undefined ? 'missing' : bytes(model.bytes)}`,
    ]),
    ['Data folder', `${data.folder}, ${data.version === undefined ? 'not made yet' : `version ${data.version}`}`],
    [
      '',
      `${bytes(data.freeBytes)} free${data.servedAt === undefined ? '' : `; served at ${data.servedAt} by process ${data.servedBy}`}`,
    ],
    [
      'TLS',
      tls.expiresAt === undefined
        ? `mode ${tls.mode}, no certificate yet`
        : `mode ${tls.mode}, until ${tls.expiresAt.slice(0, 10)}`,
    ],
    ['', tls.fingerprint ?? ''],
  ]
  const shown = rows.filter(([name, text]) => name !== '' || text !== '')
  const end =
    report.problems.length === 0
      ? terminal.paint('green', 'Everything is in place.')
      : report.problems.map((problem) => terminal.paint('red', `! ${problem}`)).join('\n')
  return `${renderTable(shown)}\n\n${end}`
}

function threads({ threads, cores }: Report['engine']): string {
  return threads === 'auto' ? `auto: ${Math.max(1, cores - 1)} to ${cores}` : String(Math.min(threads, cores))
}

function inUse(state: boolean | undefined): string {
  return state === undefined ? 'installed' : state ? 'in use' : 'installed, not in use'
}

function bytes(count: number): string {
  return count < 2 ** 30 ? `${(count / 2 ** 20).toFixed(1)} MiB` : `${(count / 2 ** 30).toFixed(1)} GiB`
}
