import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Ggml as LoadedGgml } from '../engine/ggml/load.ts'
import { countCores } from '../engine/machine.ts'
import type { Call, Command } from './command.ts'
import { DATA_VERSION } from './data-folder.ts'
import { inspectData, inspectTls, type DataReport, type TlsReport } from './doctor/data.ts'
import { inspectMachine, type Machine } from './doctor/machine.ts'
import { inspectPackages, readExpectedPackages, type NativePackage } from './doctor/native-packages.ts'
import { renderReport } from './doctor/render.ts'
import { modelPath } from './model-path.ts'
import { openConfig, PLACE_FLAGS, type Place } from './open-config.ts'
import { readVersion } from './version.ts'

/**
 * selfTestMs: every operation that the engine uses was compared with plain arithmetic, in this time. products: what
 * multiplies 4- to 8-bit weights, an instruction set or ggml with the reason.
 */
export type Ggml = { version: string; folder: string; device: string; selfTestMs: number; products: string }
export type ModelReport = { id: string; file: string; bytes: number | undefined }

export type Report = {
  version: string
  node: { version: string; file: string }
  machine: Machine
  /** cores: how many threads may compute at most, by affinity and control group. */
  engine: { threads: number | 'auto'; cores: number; ggml: Ggml | undefined }
  packages: NativePackage[]
  models: ModelReport[]
  data: DataReport
  tls: TlsReport
  /** One sentence each, with what to do; empty where everything is in place. */
  problems: string[]
}

const FREE_BYTES_MIN = 256 * 2 ** 20
const TLS_DAYS_MIN = 7

/** Looks at everything, changes nothing. Exit status 1 where something needs a hand. */
export const doctor: Command = {
  action: {
    summary: 'Tell whether everything is in place: processor, libraries, models, TLS, disk',
    flags: { ...PLACE_FLAGS, json: { help: 'The same as JSON' } },
    examples: ['unmask doctor', 'unmask doctor --json', 'unmask doctor --data /srv/unmask'],
    run: async (call) => {
      const report = await inspect(call, openConfig(call))
      call.terminal.say(call.on('json') ? JSON.stringify(report, null, 2) : renderReport(report, call.terminal))
      return report.problems.length === 0 ? 0 : 1
    },
  },
}

async function inspect({ root }: Call, { config, dataFolder }: Place): Promise<Report> {
  const problems: string[] = []
  const ggml = await loadLibraries(config.engine.kernel, problems)
  const own = config.api.tlsMode === 'files'
  const report: Report = {
    version: readVersion(root),
    node: { version: process.version, file: process.execPath },
    machine: inspectMachine(),
    engine: { threads: config.engine.threads, cores: countCores(), ggml },
    packages: inspectPackages(root, readExpectedPackages(root)),
    models: Object.entries(config.engine.models).map(([id, file]) => inspectModel(id, modelPath(root, file))),
    data: inspectData(dataFolder),
    tls: inspectTls(config.api.tlsMode, own ? config.api.tlsCertFile : join(dataFolder, 'tls', 'server.pem')),
    problems,
  }
  problems.push(...findProblems(report, Date.now()))
  return report
}

async function loadLibraries(wish: 'auto' | 'ggml', problems: string[]): Promise<Ggml | undefined> {
  try {
    const { loadGgml } = await import('../engine/ggml/load.ts')
    const { selfTest } = await import('../engine/ggml/self-test.ts')
    const ggml = loadGgml()
    const { ms } = await selfTest(ggml)
    const products = wish === 'ggml' ? 'ggml (engine.kernel says so)' : await describeProducts(ggml)
    return { version: ggml.version, folder: ggml.folder, device: ggml.device, selfTestMs: Math.round(ms), products }
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error))
    return undefined
  }
}

/** Compiles and checks the kernel as a first start does, and leaves nothing behind. */
async function describeProducts(ggml: LoadedGgml): Promise<string> {
  const { findKernel } = await import('../engine/ggml/find-kernel.ts')
  const folder = mkdtempSync(join(tmpdir(), 'unmask-doctor-'))
  try {
    const { kernel, why } = await findKernel(ggml, [folder])
    return kernel === undefined ? `ggml (${why})` : `${kernel.isa}, compiled and checked`
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function inspectModel(id: string, file: string): ModelReport {
  return { id, file, bytes: statSync(file, { throwIfNoEntry: false })?.size }
}

/** What is wrong in a report, each with the next step. Pure, so that every sentence can be tested. */
export function findProblems({ packages, models, data, tls }: Omit<Report, 'problems'>, now: number): string[] {
  const days = tls.expiresAt === undefined ? Infinity : (Date.parse(tls.expiresAt) - now) / 86_400_000
  return [
    ...packages.filter((one) => !one.installed).map((one) => `${one.name} is missing: run npm ci again.`),
    ...packages
      .filter((one) => one.installed && one.inUse === false)
      .map((one) => `${one.name} is installed but not in use: start through ./unmask, or run npm ci again.`),
    ...models
      .filter((model) => model.bytes === undefined)
      .map(
        (model) => `${model.id} is bound to ${model.file}, which does not exist: correct the setting engine.models.`,
      ),
    ...(data.freeBytes < FREE_BYTES_MIN ? [`${data.folder} has less than 256 MiB of free disk: make room.`] : []),
    ...((data.version ?? 0) > DATA_VERSION ? [`${data.folder} was written by a newer Unmask: start that one.`] : []),
    ...(days < TLS_DAYS_MIN ? [`${tls.certificate} ends within ${TLS_DAYS_MIN} days: ${renewal(tls.mode)}`] : []),
  ]
}

function renewal(mode: string): string {
  return mode === 'files'
    ? 'put a new one there and send SIGHUP to the server.'
    : 'restart the server, it makes a new one.'
}
