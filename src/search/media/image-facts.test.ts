import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import sharp from 'sharp'
import { readImageFacts } from './image-facts.ts'

const picture = sharp({ create: { width: 120, height: 80, channels: 3, background: '#336699' } })

describe('size and format are read from the bytes', () => {
  for (const format of ['jpeg', 'png', 'webp', 'gif', 'avif', 'tiff'] as const) {
    test(format, async () => {
      const bytes = await picture.clone().toFormat(format).toBuffer()
      deepEqual(readImageFacts(bytes), { width: 120, height: 80, format })
    })
  }
  test('svg', () => {
    const svg = new TextEncoder().encode('<svg xmlns="http://www.w3.org/2000/svg" width="120" height="80"></svg>')
    deepEqual(readImageFacts(svg), { width: 120, height: 80, format: 'svg' })
  })
})

test('a photograph taken sideways has the size that it is shown in', async () => {
  const bytes = await picture.clone().withMetadata({ orientation: 6 }).jpeg().toBuffer()
  deepEqual(readImageFacts(bytes), { width: 80, height: 120, format: 'jpeg' })
})

test('the first kilobytes of a large file are enough', async () => {
  const noise = sharp({
    create: {
      width: 900,
      height: 700,
      channels: 3,
      background: '#000',
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    },
  })
  const bytes = await noise.jpeg({ quality: 95 }).toBuffer()
  ok(bytes.length > 65_536)
  equal(readImageFacts(bytes.subarray(0, 16_384))?.width, 900)
})

test('bytes that are no picture, or a broken one, give nothing and never throw', async () => {
  const whole = await picture.clone().png().toBuffer()
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array({ maxLength: 300 }),
        fc.tuple(fc.nat(whole.length - 1), fc.nat(255)).map(([at, value]) => {
          const broken = new Uint8Array(whole)
          broken[at] = value
          return broken
        }),
      ),
      (bytes) => {
        const facts = readImageFacts(bytes)
        ok(facts === undefined || (facts.width > 0 && facts.height > 0 && facts.format !== ''))
      },
    ),
  )
})
