import { hasStemmer } from './stem.ts'

/** Letters and little words that give a language away in a query of a few words. */
const HINTS: [string, RegExp][] = [
  ['de', /[äöüß]|\b(?:der|die|das|und|für|mit|wie|ist|ein|eine|nicht|auf|von|zum|zur|im)\b/i],
  ['fr', /[çœàâêîôûëï]|\b(?:le|la|les|des|une|est|pour|avec|dans|sur|comment|que|qui|et|du)\b|\b[ldjmtsn]['’]/i],
  ['es', /[ñ¿¡áíóú]|\b(?:el|los|las|una|para|con|por|como|qué|cómo|del|es|en|y)\b/i],
  ['pt', /[ãõçâê]|\b(?:os|uma|para|com|não|como|dos|das|do|da|em|o)\b/i],
  ['it', /[àèìòù]|\b(?:il|gli|una|per|con|come|della|dei|che|di|è)\b/i],
  ['nl', /\b(?:het|een|van|voor|met|niet|hoe|wat|op|zijn)\b/i],
  ['sv', /[åäö]|\b(?:och|att|för|med|inte|hur|är|som|av)\b/i],
  ['da', /[æøå]|\b(?:og|at|med|ikke|hvordan|er|til|af)\b/i],
  ['no', /[æøå]|\b(?:og|med|ikke|hvordan|er|til|av|på)\b/i],
  ['fi', /[äö]|\b(?:ja|on|ei|miten|mikä|kuinka)\b/i],
  ['tr', /[ğışİ]|\b(?:ve|bir|için|ile|nasıl|nedir)\b/i],
  ['cs', /[ěřůčšž]/i],
  ['hu', /[őű]|\b(?:és|hogyan|egy|nem)\b/i],
  ['ro', /[ășțâî]|\b(?:și|pentru|este|cum|din)\b/i],
  ['pl', /[ąćęłńśźż]/i],
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
  const hinted = HINTS.filter(([, pattern]) => pattern.test(query.normalize('NFC'))).map(([language]) => language)
  return [...hinted.filter((language) => hasStemmer(language)).slice(0, 3), 'en']
}
