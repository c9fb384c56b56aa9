import { ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { extracted } from '../support/extracted.ts'

/** Whatever a page of some megabytes does, one thread reads it within these. */
const MS_MAX = 8_000
const HEAP_MB_MAX = 700

const big = 'x'.repeat(2_000_000)
const cases: Record<string, [head: string, body: string]> = {
  'paragraphs without end': ['', '<p>word word word</p>'.repeat(300_000)],
  'nested elements': ['', '<div class="post-body">'.repeat(300_000)],
  'nested formatting': ['', '<b><i><em>text '.repeat(200_000)],
  'many links': ['', '<a href="/x?y=1">anchor</a> '.repeat(200_000)],
  'many pictures': ['', '<img src="/a.jpg" srcset="/a.jpg 1x, /b.jpg 2x" alt="a">'.repeat(100_000)],
  'many frames': ['', '<iframe src="https://www.youtube.com/embed/dQw4w9WgXcQ"></iframe>'.repeat(100_000)],
  'many dates': ['', '<time datetime="2025-01-01">January 1, 2025</time>'.repeat(100_000)],
  'many posts': ['', '<div class="message-body"><p>A post of a few words</p></div>'.repeat(100_000)],
  'many headings': ['', '<h1>A heading</h1>'.repeat(150_000)],
  'many metas': ['<meta property="og:image" content="/a.jpg">'.repeat(150_000), ''],
  'many things of microdata': [
    '',
    '<div itemscope itemtype="https://schema.org/Article"><span itemprop="name">x</span>'.repeat(80_000),
  ],
  'linked data in linked data': [
    `<script type="application/ld+json">${'{"@type":"Article","a":'.repeat(30_000)}1${'}'.repeat(30_000)}</script>`,
    '',
  ],
  'a list of linked data': [
    `<script type="application/ld+json">[${'{"@type":"Product","description":"x"},'.repeat(30_000)}{}]</script>`,
    '',
  ],
  'one word of megabytes': ['', `<p>${big}</p>`],
  'one class of megabytes': ['', `<div class="${'nav-menu '.repeat(200_000)}"><p>text</p></div>`],
  'one title of megabytes': [`<title>${'a | '.repeat(500_000)}</title>`, ''],
  'spaces of megabytes': ['', `<p>a${' \n\t'.repeat(1_000_000)}b</p>`],
  'a srcset of megabytes': ['', `<img srcset="${'a '.repeat(500_000)}">`],
  'digits of megabytes': ['', `<p class="date">${'1/'.repeat(1_000_000)}</p><time>${'2025 '.repeat(100_000)}</time>`],
  'brackets in a description': [
    `<script type="application/ld+json">{"@type":"Product","description":"${'<'.repeat(500_000)}"}</script>`,
    '<div class="product-page add-to-cart">x</div>',
  ],
}

describe('a hostile page is read in bounded time and memory', () => {
  for (const [name, [head, body]] of Object.entries(cases)) {
    test(name, () => {
      const before = process.memoryUsage().heapUsed
      const startedAt = performance.now()
      extracted(head, body)
      const ms = performance.now() - startedAt
      const heapMb = (process.memoryUsage().heapUsed - before) / 1e6
      ok(ms < MS_MAX && heapMb < HEAP_MB_MAX, `${ms.toFixed(0)} ms, ${heapMb.toFixed(0)} MB`)
    })
  }
})
