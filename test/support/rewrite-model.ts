import type { GgufValue } from '../../src/engine/weights/gguf/format.ts'
import { GgufReader } from '../../src/engine/weights/gguf/reader.ts'
import { GgufWriter } from '../../src/engine/weights/gguf/writer.ts'
import type { TensorDeclaration } from '../../src/engine/weights/gguf/writer.ts'

type Change = {
  /** Sets keys; undefined takes one away. */
  keys?: Record<string, GgufValue | undefined>
  /** Another declaration for a tensor (its bytes become zeros), or undefined to leave it out. */
  tensor?: (tensor: TensorDeclaration) => TensorDeclaration | undefined
  extra?: TensorDeclaration[]
}

/** Writes a GGUF file again with some things changed: for tests of what must be refused. */
export async function rewriteModel(from: string, to: string, change: Change): Promise<void> {
  const reader = await GgufReader.open(from)
  const keys = new Map(reader.header.keys)
  for (const [name, value] of Object.entries(change.keys ?? {})) {
    if (value === undefined) keys.delete(name)
    else keys.set(name, value)
  }
  const declared = [...reader.header.tensors.values()].map((tensor): TensorDeclaration | undefined =>
    change.tensor === undefined ? tensor : change.tensor(tensor),
  )
  const tensors = [...declared.filter((tensor) => tensor !== undefined), ...(change.extra ?? [])]
  const writer = await GgufWriter.create(to, keys, tensors)
  for (const tensor of tensors) {
    const old = reader.findTensor(tensor.name)
    const same = old !== undefined && old.type === tensor.type && old.shape.join() === tensor.shape.join()
    const count = tensor.shape.reduce((product, n) => product * n, 1)
    await writer.write(tensor.name, same ? await reader.read(old) : new Uint8Array(count * 4))
  }
  await writer.finish()
  await reader.close()
}
