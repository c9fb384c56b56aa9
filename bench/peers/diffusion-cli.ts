/** llama.cpp's own diffusion program, built from the source that the npm package node-llama-cpp carries. */
import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { installLlamaCpp, PACKAGE } from './llama-cpp.ts'

const SOURCE = resolve('.cache/peers/llama.cpp')
const BUILD = join(SOURCE, 'build')
const PROGRAM = join(BUILD, 'bin', 'llama-diffusion-cli')
const TARGET = 'llama-diffusion-cli'
/** Native and optimised, as its own instructions say; without servers, tests and tools, which the program does not use. */
const OPTIONS = [
  '-DCMAKE_BUILD_TYPE=Release',
  '-DGGML_NATIVE=ON',
  // So that the folder may be moved.
  '-DCMAKE_BUILD_RPATH_USE_ORIGIN=ON',
  ...['LLAMA_OPENSSL', 'LLAMA_BUILD_TESTS', 'LLAMA_BUILD_SERVER', 'LLAMA_BUILD_TOOLS', 'LLAMA_BUILD_APP'].map(
    (name) => `-D${name}=OFF`,
  ),
]
const NEEDED = { git: 'git', cmake: 'cmake', 'c++': 'g++' }

/** Builds it where that was not done yet. Throws a sentence where a tool is missing or the build fails. */
export async function buildDiffusionCli(): Promise<void> {
  if (existsSync(PROGRAM)) return
  const missing = Object.entries(NEEDED).filter(([tool]) => spawnSync(tool, ['--version']).status !== 0)
  if (missing.length > 0) {
    const tools = missing.map(([tool]) => tool).join(', ')
    const packages = missing.map(([, name]) => name).join(' ')
    throw new Error(
      `${TARGET} is built from source, for which this machine lacks ${tools}: apt-get install ${packages} (cmake: also pip install cmake).`,
    )
  }
  installLlamaCpp()
  if (!existsSync(SOURCE)) {
    const bundle = join(PACKAGE, 'llama', 'gitRelease.bundle')
    execFileSync('git', ['-c', 'advice.detachedHead=false', 'clone', '--quiet', bundle, SOURCE], { stdio: 'inherit' })
  }
  const jobs = availableParallelism()
  console.log(`Building ${TARGET} in ${BUILD}: about 12 minutes of one core, ${jobs} at work …`)
  await runTold('cmake', ['-S', SOURCE, '-B', BUILD, ...OPTIONS])
  await runTold('cmake', ['--build', BUILD, '--target', TARGET, '--parallel', String(jobs)])
  process.stdout.write('\n')
}

/** llama.cpp's release. */
export function diffusionCliRelease(): string {
  const { tag } = JSON.parse(readFileSync(join(PACKAGE, 'llama', 'llama.cpp.info.json'), 'utf8')) as { tag: string }
  return tag
}

/** Runs a step of the build with its progress in one line. Throws with its last lines where it fails. */
async function runTold(command: string, args: readonly string[]): Promise<void> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'close')
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes: Buffer) => {
      text = (text + bytes.toString()).slice(-4000)
      const step = findProgress(text)
      if (step !== undefined) process.stdout.write(`\r  ${step}   `)
    })
  }
  const [status] = (await ended) as [number | null]
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with status ${status}:\n${text}`)
}

/** The last "[ 12%]" of make or "[40/262]" of ninja. */
export function findProgress(output: string): string | undefined {
  return output.match(/^\[\s*(?:\d+%|\d+\/\d+)\]/gm)?.at(-1)
}

export type Canvas = { prompt: number; reply: number; block: number; perStep: number }

/**
 * How the program must be asked for that canvas. It cuts the whole of it, prompt included, into as many blocks and divides the
 * steps by their number; a block behind the canvas's end costs one forward that sets nothing.
 */
export function diffusionCliPlan({ prompt, reply, block, perStep }: Canvas): {
  flags: string[]
  /** That set something, and that were computed. */
  useful: number
  computed: number
} {
  const all = prompt + reply
  if (all % block !== 0 || reply % block !== 0) throw new RangeError('it takes whole blocks only')
  const stepsOfBlock = Math.ceil(block / perStep)
  const useful = (reply / block) * stepsOfBlock
  const values = {
    '-c': all,
    '-b': all,
    '-ub': all,
    '--temp': 0,
    '--seed': 1,
    '--diffusion-block-length': block,
    '--diffusion-steps': (all / block) * stepsOfBlock,
  }
  const flags = Object.entries(values).flatMap(([flag, value]) => [flag, String(value)])
  return { flags, useful, computed: useful + prompt / block }
}

/** Its own print of the time of all forwards, without loading. Throws where it printed none. */
export function readTotalMs(output: string): number {
  const found = /^total time: ([\d.]+)ms/m.exec(output)?.[1]
  if (found === undefined) throw new Error(`${TARGET} told no time:\n${output.slice(-2000)}`)
  return Number(found)
}

/**
 * Milliseconds of the forwards that set something. At temperature 0 the program still draws, from the 40 likeliest; that takes
 * a hundredth of its time, and how many tokens a step sets does not depend on it.
 */
export async function runDiffusionCli(asked: {
  model: string
  text: string
  canvas: Canvas
  threads: number
}): Promise<number> {
  const { flags, useful, computed } = diffusionCliPlan(asked.canvas)
  const threads = String(asked.threads)
  const args = ['-m', asked.model, '-p', asked.text, '-t', threads, '-tb', threads, ...flags]
  const { stdout, stderr } = await promisify(execFile)(PROGRAM, args, { maxBuffer: 2 ** 26 })
  return (readTotalMs(`${stdout}\n${stderr}`) * useful) / computed
}
