import { equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { guessQueryLanguages } from './query-languages.ts'

describe('letters and little words give the language of a query away', () => {
  const cases: Record<string, string> = {
    检索系统: 'zh',
    検索する: 'ja',
    검색: 'ko',
    'поиск в сети': 'ru',
    'пошук в мережі': 'uk',
    'Häuser kaufen': 'de',
    'comment faire du pain': 'fr',
    'cómo hacer pan': 'es',
    Eigenschaften: 'de',
    'texte inversé': 'fr',
    'velocidad mínima': 'es',
    impostazioni: 'it',
    'young management': 'en',
    'linux kernel': 'en',
    αναζήτηση: 'el',
  }
  for (const [query, language] of Object.entries(cases))
    test(`${query} → ${language}`, () => equal(guessQueryLanguages(query)[0], language))
})

test('Latin letters may always be English, and four guesses are enough', () => {
  for (const query of ['wie ist das', 'à la carte', 'på dansk', 'smörgåsbord']) {
    const guesses = guessQueryLanguages(query)
    ok(guesses.includes('en') && guesses.length <= 4)
  }
})
