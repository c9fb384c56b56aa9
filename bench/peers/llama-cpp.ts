/** llama.cpp through the npm package node-llama-cpp, in a process of its own: it generates one token at a time, greedily. */
import { execFileSync, fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The version whose libraries the engine itself uses, so that both run the same ggml. */
const VERSION = '3.21.1'
const FOLDER = resolve('.cache/peers/node-llama-cpp')
/** The package's own folder, its source of llama.cpp included. */
export const PACKAGE = join(FOLDER, 'node_modules', 'node-llama-cpp')

type Order = { prompt: readonly number[]; tokensMax: number }
/** Milliseconds from the first token to the last. */
type Generated = { tokens: number[]; ms: number }

/** Brings the package from npm on the first call, into a folder that git does not see. */
export function installLlamaCpp(): void {
  if (existsSync(join(PACKAGE, 'package.json'))) return
  console.log(`Installing node-llama-cpp ${VERSION} into ${FOLDER} …`)
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(join(FOLDER, 'package.json'), '{"type":"module"}\n')
  const packages = [`node-llama-cpp@${VERSION}`, `@node-llama-cpp/linux-x64@${VERSION}`]
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--omit=optional', '--loglevel=error']
  execFileSync('npm', ['install', ...flags, ...packages], { cwd: FOLDER, stdio: 'inherit' })
}

export class LlamaCpp {
  readonly #child: ChildProcess

  private constructor(child: ChildProcess) {
    this.#child = child
  }

  /** Loads a GGUF file; `stop` ends the process. */
  static async open(model: string, threads: number): Promise<LlamaCpp> {
    const child = fork(import.meta.filename, [model, String(threads)])
    await once(child, 'message')
    return new LlamaCpp(child)
  }

  async generate(order: Order): Promise<Generated> {
    this.#child.send(order)
    const [generated] = (await once(this.#child, 'message')) as [Generated]
    return generated
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGKILL')
    await once(this.#child, 'exit')
  }
}

/** What is used of the package. */
type Package = {
  getLlama(options: object): Promise<{
    loadModel(options: object): Promise<{
      tokens: { eos: number; eot: number | null }
      createContext(options: object): Promise<{
        getSequence(): {
          clearHistory(): Promise<void>
          evaluate(tokens: readonly number[], options: object): AsyncGenerator<number>
        }
      }>
    }>
  }>
}

async function serve(modelPath: string, threads: number): Promise<void> {
  const entry = join(PACKAGE, 'dist', 'index.js')
  const { getLlama } = (await import(pathToFileURL(entry).href)) as Package
  const llama = await getLlama({ gpu: false, build: 'never', maxThreads: threads, logLevel: 'error' })
  const model = await llama.loadModel({ modelPath, gpuLayers: 0 })
  const context = await model.createContext({ contextSize: 2048, threads })
  const sequence = context.getSequence()
  const ends = new Set([model.tokens.eos, model.tokens.eot])
  process.on('message', async ({ prompt, tokensMax }: Order) => {
    await sequence.clearHistory()
    const tokens: number[] = []
    let [first, last] = [0, 0]
    for await (const token of sequence.evaluate(prompt, { temperature: 0 })) {
      last = performance.now()
      if (tokens.length === 0) first = last
      if (ends.has(token)) break
      tokens.push(token)
      if (tokens.length === tokensMax) break
    }
    process.send?.({ tokens, ms: last - first })
  })
  process.send?.('loaded')
}

if (import.meta.main) await serve(process.argv[2] ?? '', Number(process.argv[3]))
