/**
 * `./unmask bench peers`: the engine beside llama.cpp, on the same weights and prompts, greedy.
 *   --only base|canvas   one part; the other's figures stay in the file
 *   --threads N,N        numbers of threads that are tried (default 1,2)
 *   --json FILE          write the figures (default bench/results/peers.json)
 *   --prompts N          base: how many (default 24), --tokens N: at most so many each (default 64)
 *   --rounds N           canvas: replies of each (default 3)
 * base: the bundled `Model` beside llama.cpp on the very same base file, one token at a time. Replies are compared token for
 * token: activations of 8 bits are rounded by both, not alike. llama.cpp comes from npm (node-llama-cpp, into .cache/).
 * canvas: random weights in LLaDA's layout beside llama-diffusion-cli, which is built from that package's source on the first
 * call (about 12 minutes of one core; needs git, cmake and a C++ compiler).
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { compareOneAtATime } from './peers/one-at-a-time.ts'
import { compareWholeCanvas } from './peers/whole-canvas.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    threads: { type: 'string', default: availableParallelism() > 1 ? '1,2' : '1' },
    json: { type: 'string', default: 'bench/results/peers.json' },
    prompts: { type: 'string', default: '24' },
    tokens: { type: 'string', default: '64' },
    rounds: { type: 'string', default: '3' },
  },
})
const threads = values.threads.split(',').map(Number)
const where = {
  at: new Date().toISOString().slice(0, 10),
  machine: `${cpus().length} cores, ${cpus()[0]?.model ?? 'unknown'}`,
}
const parts = existsSync(values.json)
  ? (JSON.parse(readFileSync(values.json, 'utf8')) as Record<string, { rows: object[] }>)
  : {}
if (values.only !== 'canvas') {
  const options = { threads, prompts: Number(values.prompts), tokensMax: Number(values.tokens) }
  parts['base'] = { ...where, ...(await compareOneAtATime(options)) }
}
if (values.only !== 'base') {
  parts['canvas'] = { ...where, ...(await compareWholeCanvas({ threads, rounds: Number(values.rounds) })) }
}
for (const { rows } of Object.values(parts)) console.table(rows)
mkdirSync(dirname(values.json), { recursive: true })
writeFileSync(values.json, `${JSON.stringify(parts, null, 2)}\n`)
