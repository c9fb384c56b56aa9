import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { embedHtml, playerOf, playerThumbnailUrl, watchUrl } from './players.ts'

describe('a known player is told from its address', () => {
  const cases: Record<string, { name: string; id: string } | undefined> = {
    'https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=10': { name: 'youtube', id: 'dQw4w9WgXcQ' },
    'https://youtu.be/dQw4w9WgXcQ?si=x': { name: 'youtube', id: 'dQw4w9WgXcQ' },
    'https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ': { name: 'youtube', id: 'dQw4w9WgXcQ' },
    'https://player.vimeo.com/video/76979871': { name: 'vimeo', id: '76979871' },
    'https://vimeo.com/76979871': { name: 'vimeo', id: '76979871' },
    'https://www.dailymotion.com/embed/video/x84sh87': { name: 'dailymotion', id: 'x84sh87' },
    'https://www.bilibili.com/video/BV1xx411c7mD': { name: 'bilibili', id: 'BV1xx411c7mD' },
    'https://player.bilibili.com/player.html?bvid=BV1xx411c7mD': { name: 'bilibili', id: 'BV1xx411c7mD' },
    'https://tube.example/videos/embed/9c9de5e8-0a1e-484a-b099-e80766180a6d': {
      name: 'peertube',
      id: 'tube.example/9c9de5e8-0a1e-484a-b099-e80766180a6d',
    },
    'https://www.youtube.com/@channel': undefined,
    'https://notyoutube.com/watch?v=dQw4w9WgXcQ': undefined,
    'javascript:alert(1)': undefined,
  }
  for (const [address, player] of Object.entries(cases)) test(address, () => deepEqual(playerOf(address), player))
})

test('the frame is built from name and id alone', () => {
  equal(
    embedHtml({ name: 'vimeo', id: '76979871' }, { width: 640, height: 360 }),
    '<iframe width="640" height="360" src="https://player.vimeo.com/video/76979871" frameborder="0" allowfullscreen></iframe>',
  )
  ok(playerThumbnailUrl({ name: 'youtube', id: 'dQw4w9WgXcQ' })?.startsWith('https://i.ytimg.com/vi/dQw4w9WgXcQ/'))
})

test('an id with markup in it gives no frame, whatever the player', () => {
  const names = fc.constantFrom('youtube', 'vimeo', 'dailymotion', 'bilibili', 'peertube', 'other', '__proto__')
  fc.assert(
    fc.property(names, fc.string(), (name, id) => {
      const html = embedHtml({ name, id: `${id}"><script>` })
      equal(html, undefined)
      const own = embedHtml({ name, id })
      if (own !== undefined)
        ok(
          /^<iframe width="\d+" height="\d+" src="https:\/\/[\w./?=-]+(?::\d+)?[\w./?=-]*" frameborder="0" allowfullscreen><\/iframe>$/.test(
            own,
          ),
          own,
        )
      ok(watchUrl({ name, id: `${id}"` }) === undefined)
    }),
  )
})
