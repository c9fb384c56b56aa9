/** Letters whose plain form is not what is left when the accent is taken off. */
const PLAIN: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ð: 'd',
  đ: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ı: 'i',
  ё: 'е',
  أ: 'ا',
  إ: 'ا',
  آ: 'ا',
  ٱ: 'ا',
  ى: 'ي',
  ς: 'σ',
}
const PLAIN_LETTERS = new RegExp(`[${Object.keys(PLAIN).join('')}]`, 'g')
/** Accents are taken off Latin and Greek letters, points off Arabic and Hebrew ones; й and が are letters of their own. */
const ACCENTS = /(?<=[\p{Script=Latin}\p{Script=Greek}]\p{Mn}*)\p{Mn}|[\u0591-\u05c7\u064b-\u065f\u0670]/gu
const INVISIBLE = /\u00ad|\u200c|\u200d|\u0640/g
const ASCII = /^[\x21-\x7e]*$/
/** NFKC writes a mark that stands alone (`\ufe72`) as a space and the mark. */
const SPACE = /\s+/gu

/** NFKC, lower case, no accents: what a word is compared by. `istanbul` is found as `İstanbul`, `cafe` as `Café`. */
export function foldWord(word: string, language?: string): string {
  if (ASCII.test(word)) return word.toLowerCase()
  const lower =
    language === 'tr' ? word.normalize('NFKC').toLocaleLowerCase('tr') : word.normalize('NFKC').toLowerCase()
  const bare = lower.replaceAll(INVISIBLE, '').normalize('NFD').replaceAll(ACCENTS, '').normalize('NFKC')
  return bare.replaceAll(SPACE, '').replaceAll(PLAIN_LETTERS, (letter) => PLAIN[letter] ?? letter)
}
