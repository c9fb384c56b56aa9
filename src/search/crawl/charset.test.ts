import { equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { decodeText } from './charset.ts'

const RUSSIAN = 'Съешь ещё этих мягких французских булок, да выпей чаю. Широкая электрификация южных губерний.'
/** RUSSIAN in windows-1251. */
const CYRILLIC = Uint8Array.from(RUSSIAN, (character) => {
  const code = character.charCodeAt(0)
  if (character === 'ё') return 0xb8
  return code >= 0x410 ? code - 0x410 + 0xc0 : code
})
/** 中文 in GBK. */
const CHINESE = Uint8Array.of(0xd6, 0xd0, 0xce, 0xc4)

function page(head: string, body: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(head, 'latin1'), body])
}

/** One sentence a language, in the bytes of an encoding that pages without any declaration still use. */
const SENTENCES: [charset: string, text: string, base64: string][] = [
  [
    'gb18030',
    '中文网页的编码需要猜测，这里有一些常见的汉字。',
    '1tDOxM340rO1xLHgwuvQ6NKqssKy4qOs1eLA79PQ0rvQqbOjvPu1xLq619ahow==',
  ],
  [
    'big5',
    '中文網頁的編碼需要猜測，這裡有一些常見的漢字。',
    'pKSk5br0rbaqur1zvVi73a1usnG0+qFBs2+4zKazpECox7FgqKOqurp+pnKhQw==',
  ],
  ['shift_jis', '日本語のページの文字コードを推測します。', 'k/qWe4zqgsyDeYFbg1eCzJW2jpqDUoFbg2iC8JCEkaqCtYLcgreBQg=='],
  ['euc-jp', '日本語のページの文字コードを推測します。', 'xvzL3LjspM6l2qG8pbikzsq4u/qls6G8pcmk8r/kwqykt6TepLmhow=='],
  ['euc-kr', '한국어 페이지의 인코딩을 추측해야 합니다.', 'x9Gxub7uIMbkwMzB9sDHIMDOxNq1+cC7IMPfw/jH2L7fIMfVtM+02S4='],
  [
    'windows-1253',
    'Η γρήγορη καφέ αλεπού πηδάει πάνω από το σκυλί',
    'xyDj8d7j7/HnIOrh9t0g4evl8O/9IPDn5Nzl6SDw3O35IOHw/CD07yDz6vXr3w==',
  ],
  ['windows-1255', 'שלום עולם זה מבחן של קידוד דפים בעברית', '+ezl7SDy5eztIObkIO7h5+8g+ewg9+nj5eMg4/Tp7SDh8uH46fo='],
  ['windows-1256', 'مرحبا بالعالم هذا اختبار لترميز الصفحات', '49HNyMcgyMfh2sfh4yDl0Mcgx87KyMfRIOHK0ePt0iDH4dXdzcfK'],
  [
    'windows-1250',
    'Příliš žluťoučký kůň úpěl ďábelské ódy a ještě něco.',
    'UPjtbGmaIJ5sdZ1vdehr/SBr+fIg+nDsbCDv4WJlbHNr6SDzZHkgYSBqZZp07CBu7GNvLg==',
  ],
  [
    'windows-1252',
    'Le café près de la forêt où l’été était déjà passé',
    'TGUgY2Fm6SBwcuhzIGRlIGxhIGZvcup0IG/5IGyS6XTpIOl0YWl0IGTpauAgcGFzc+k=',
  ],
]

describe('what is said nowhere is guessed from one sentence between tags', () => {
  for (const [charset, text, base64] of SENTENCES) {
    test(charset, () => {
      const html = page('<!doctype html><html><body><p class="x">', Buffer.from(base64, 'base64'))
      equal(decodeText(html, 'text/html').text.endsWith(text), true)
    })
  }
})

describe('a page’s encoding: what it says counts in the order of the WHATWG, then what it looks like', () => {
  const cases: [name: string, bytes: Uint8Array, contentType: string, from: string, charset: string, text: string][] = [
    [
      'UTF-8 mark over the header',
      page('\xef\xbb\xbf', Buffer.from('é')),
      'text/html; charset=iso-8859-1',
      'bom',
      'utf-8',
      'é',
    ],
    ['UTF-16 mark', Buffer.from('\uFEFFhé', 'utf16le'), 'text/html', 'bom', 'utf-16le', 'hé'],
    ['big-endian mark', Uint8Array.of(0xfe, 0xff, 0, 0x68), 'text/html', 'bom', 'utf-16be', 'h'],
    ['header', CYRILLIC, 'text/html; charset=windows-1251', 'header', 'windows-1251', RUSSIAN],
    ['header in quotes, odd case', CYRILLIC, 'text/html;Charset="CP1251"', 'header', 'windows-1251', RUSSIAN],
    [
      'header over meta',
      page('<meta charset=utf-8>', CHINESE),
      'text/html; charset=gbk',
      'header',
      'gbk',
      '<meta charset=utf-8>中文',
    ],
    [
      'a header that names no encoding is passed over',
      page('<meta charset=gb2312>', CHINESE),
      'text/html; charset=none',
      'meta',
      'gbk',
      '<meta charset=gb2312>中文',
    ],
    [
      'meta http-equiv',
      page('<meta http-equiv="Content-Type" content="text/html; charset=GBK">', CHINESE),
      'text/html',
      'meta',
      'gbk',
      '<meta http-equiv="Content-Type" content="text/html; charset=GBK">中文',
    ],
    [
      'a meta in a comment is none',
      page('<!-- <meta charset=gbk> -->', Buffer.from('é')),
      'text/html',
      'utf-8',
      'utf-8',
      '<!-- <meta charset=gbk> -->é',
    ],
    [
      'meta that says UTF-16 means UTF-8',
      page('<meta charset=utf-16>', Buffer.from('é')),
      'text/html',
      'meta',
      'utf-8',
      '<meta charset=utf-16>é',
    ],
    [
      'XML declaration',
      page('<?xml version="1.0" encoding="gbk"?>', CHINESE),
      'text/html',
      'meta',
      'gbk',
      '<?xml version="1.0" encoding="gbk"?>中文',
    ],
    ['nothing said, UTF-8', Buffer.from('日本'), 'text/html', 'utf-8', 'utf-8', '日本'],
    [
      'nothing said, UTF-8 with one stray byte',
      page('\xff', Buffer.from('日本語のページ'.repeat(3))),
      'text/html',
      'utf-8',
      'utf-8',
      `\uFFFD${'日本語のページ'.repeat(3)}`,
    ],
    ['nothing said, guessed', CYRILLIC, 'text/html', 'guess', 'windows-1251', RUSSIAN],
  ]
  for (const [name, bytes, contentType, from, charset, text] of cases) {
    test(name, () => {
      const decoded = decodeText(bytes, contentType)
      equal(`${decoded.from} ${decoded.charset}`, `${from} ${charset}`)
      equal(decoded.text, text)
    })
  }

  test('no bytes make it throw', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.string({ maxLength: 20 }), (bytes, label) => {
        equal(typeof decodeText(bytes, `text/html; charset=${label}`).text, 'string')
      }),
      { numRuns: 200 },
    )
  })
})
