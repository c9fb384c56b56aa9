/**
 * `node scripts/manual-film.ts` records the manual's short film in Debian's Chromium: docs/manual/media/unmasking.webm and the
 * still that stands for it, unmasking.png. Twelve seconds in which a row of masks becomes a sentence.
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'

const FOLDER = new URL('../docs/manual/media/', import.meta.url)
const WORDS = ['The', 'sea', 'is', 'calm', 'in', 'the', 'evening', '.']
/** In which step each place is set. */
const STEPS = [1, 2, 1, 3, 2, 2, 4, 3]
const SECONDS = 12

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
try {
  const page = await browser.newPage()
  await page.addScriptTag({ path: fileURLToPath(new URL('manual-film-page.js', import.meta.url)) })
  const wish = JSON.stringify({ words: WORDS, steps: STEPS, seconds: SECONDS })
  const { webm, png } = await page.evaluate<{ webm: string; png: string }>(`film(${wish})`)
  writeFileSync(new URL('unmasking.webm', FOLDER), Buffer.from(webm, 'base64'))
  writeFileSync(new URL('unmasking.png', FOLDER), Buffer.from(png.split(',')[1] ?? '', 'base64'))
} finally {
  await browser.close()
}
