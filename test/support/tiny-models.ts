import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { ModelFile } from '../../src/engine/weights/model-file.ts'
import { writeRandomModel } from '../../src/engine/weights/random.ts'
import type { RandomModel } from '../../src/engine/weights/random.ts'

/** A folder that is gone when the test file ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'unmask-test-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A random model of a known shape, opened; closed and deleted when the test file ends. */
export async function openRandomModel(like: string, wish: Partial<RandomModel> = {}): Promise<ModelFile> {
  const path = join(temporaryFolder(), `${like}.gguf`)
  await writeRandomModel(path, { like, seed: 1, ...wish })
  const file = await ModelFile.open(path)
  after(() => file.close())
  return file
}
