import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { startProduct, type Product } from '../../test/support/product.ts'

const CRAWL_MS_MAX = 60_000

/** A server that has crawled its own manual, as a first start does in the background: from here on it does only what it is asked. */
export async function startSettled(env: Record<string, string>): Promise<Product> {
  const product = await startProduct({ env })
  const endsAt = performance.now() + CRAWL_MS_MAX
  while (!existsSync(join(product.folder, 'search', 'manual.json'))) {
    if (performance.now() > endsAt) throw new Error(`the manual is not crawled yet:\n${product.output()}`)
    await setTimeout(50)
  }
  return product
}
