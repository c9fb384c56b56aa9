import { hasStemmer } from './stem.ts'

/** Letters, endings and little words that give a language away in a query of a few words. */
const HINTS: [string, RegExp][] = [
  [
    'de',
    /[äöüß]|\w{3}(?:ung|ungen|schaft|schaften|heit|keit|lich|liche|lichen|isch|ische|ischen)\b|\b(?:der|die|das|den|dem|des|und|oder|für|mit|wie|ist|sind|ein|eine|einer|nicht|auf|von|vom|zu|zum|zur|im|bei|sich|wird|werden|kann)\b/gi,
  ],
  [
    'fr',
    /[éçœàâêîôûëï]|\w{3}(?:eux|euse|euses)\b|\b(?:le|la|les|de|des|un|une|est|sont|pour|avec|dans|sur|par|pas|ne|ou|au|aux|ce|cette|comment|que|qui|et|du)\b|\b[ldjmtsn]['’]/gi,
  ],
  [
    'es',
    /[ñ¿¡áíóú]|\w{3}(?:idad|idades|miento|mientos)\b|\b(?:el|la|lo|los|las|un|una|de|para|con|por|como|qué|que|cómo|del|al|se|si|su|sus|más|este|esta|puede|es|son|en|y)\b/gi,
  ],
  [
    'pt',
    /[ãõçâê]|\w{3}(?:idade|idades)\b|\b(?:os|um|uma|de|que|se|para|com|não|como|dos|das|do|da|em|no|na|nos|nas|ao|mais|pode|por|o)\b/gi,
  ],
  [
    'it',
    /[àèìòù]|\w{3}(?:zione|zioni)\b|\b(?:il|lo|la|le|gli|un|una|per|con|come|del|della|dei|delle|al|alla|nel|nella|che|si|non|sono|più|di|è)\b/gi,
  ],
  ['nl', /\b(?:het|een|van|voor|met|niet|hoe|wat|op|zijn)\b/gi],
  ['sv', /[åäö]|\b(?:och|att|för|med|inte|hur|är|som|av)\b/gi],
  ['da', /[æøå]|\b(?:og|at|med|ikke|hvordan|er|til|af)\b/gi],
  ['no', /[æøå]|\b(?:og|med|ikke|hvordan|er|til|av|på)\b/gi],
  ['fi', /[äö]|\b(?:ja|on|ei|miten|mikä|kuinka)\b/gi],
  ['tr', /[ğışİ]|\b(?:ve|bir|için|ile|nasıl|nedir)\b/gi],
  ['cs', /[ěřůčšž]/gi],
  ['hu', /[őű]|\b(?:és|hogyan|egy|nem)\b/gi],
  ['ro', /[ășțâî]|\b(?:și|pentru|este|cum|din)\b/gi],
  ['pl', /[ąćęłńśźż]/gi],
]

/**
 * The languages a query may be in, likeliest first, at most four: a query is too short for statistics, so its letters and little words
 * are asked, and English is always among the guesses for Latin letters. Each guess is analysed on its own; a match by any counts.
 */
export function guessQueryLanguages(query: string): string[] {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(query)) return ['ja']
  if (/\p{Script=Han}/u.test(query)) return ['zh', 'ja']
  if (/\p{Script=Hangul}/u.test(query)) return ['ko']
  if (/\p{Script=Cyrillic}/u.test(query)) return /[іїєґ]/i.test(query) ? ['uk', 'ru'] : ['ru']
  if (/\p{Script=Arabic}/u.test(query)) return ['ar']
  if (/\p{Script=Greek}/u.test(query)) return ['el']
  if (/\p{Script=Armenian}/u.test(query)) return ['hy']
  if (/\p{Script=Tamil}/u.test(query)) return ['ta']
  if (!/\p{Script=Latin}/u.test(query)) return ['en']
  const text = query.normalize('NFC')
  const hinted = HINTS.map(([language, pattern]) => ({ language, hints: text.match(pattern)?.length ?? 0 }))
    .filter(({ language, hints }) => hints > 0 && hasStemmer(language))
    .sort((a, b) => b.hints - a.hints)
  return [...hinted.slice(0, 3).map(({ language }) => language), 'en']
}
