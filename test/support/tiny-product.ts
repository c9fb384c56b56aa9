/** `./unmask serve` on random weights of a few kilobytes: the whole product, started in well under a second. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { writeRandomModel } from '../../src/engine/weights/random.ts'
import { LAUNCHER } from './product.ts'

/** Environment that binds both ids of the contract to one tiny model in `folder`, and keeps off fixed ports. */
export async function tinyEnvironment(folder: string): Promise<Record<string, string>> {
  const file = join(folder, 'tiny.gguf')
  await writeRandomModel(file, { like: 'tiny-causal', seed: 1 })
  return { UNMASK_ENGINE_MODELS: `Model=${file},Model-MoE=${file}`, UNMASK_METRICS_PORT: '0', UNMASK_PORT: '0' }
}

export type Program = {
  child: ChildProcess
  stdout(): string
  stderr(): string
  /** Resolves when `words` stand in what it wrote to stdout; rejects when it ends before. */
  says(words: RegExp): Promise<string>
  /** Its exit status; a signal's name where it died of one. */
  ended: Promise<number | string>
}

/** `unmask …` as a process of its own. End it by `child.kill`. */
export function startProgram(words: string[], env: Record<string, string>): Program {
  const child = spawn(LAUNCHER, words, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  return watch(child)
}

export function watch(child: ChildProcess): Program {
  let stdout = ''
  let stderr = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string)
  const says = async (words: RegExp): Promise<string> => {
    while (!words.test(stdout)) {
      if (child.stdout === null) throw new Error('its stdout is not read')
      const more = await Promise.race([once(child.stdout, 'data'), ended])
      if (!Array.isArray(more) && !words.test(stdout)) throw new Error(`it ended with ${more}:\n${stdout}${stderr}`)
    }
    return words.exec(stdout)?.[0] ?? ''
  }
  return { child, stdout: () => stdout, stderr: () => stderr, says, ended }
}
