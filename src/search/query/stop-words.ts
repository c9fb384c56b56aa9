/** Words that join other words, in the languages met most: they are left out where a query has others. */
const STOP_WORDS = new Set(
  [
    'a an the of in on at to for from by with and or is are was were be been do does did how what which who when where why this that these those it its as can i my your',
    'have has had been being there any some such if then than their they them into about between must should would could may might will shall also only very more most other used using not no so but he she we you us due out during each both before after',
    'der die das den dem des ein eine einen einem einer und oder ist sind von im mit für auf zu zum zur wie was wer wo wann warum ich nicht',
    'le la les un une des du de et ou est sont dans pour avec sur par que qui quoi comment où quand au aux ce cette',
    'el los las una unos y o es son en por para con como que qué cómo del al lo',
    'il lo gli uno e di da che per come nel della dei delle con sono',
    'os um uma e é são em por para com como que do da dos das no na',
    'и в во на не что как с со по для от из к о у это или а но где когда',
    '的 了 是 在 和 与 吗 呢 吧 我 你 怎么 什么 如何 の は が を に で と も か です ます',
  ].flatMap((line) => line.split(' ')),
)

export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word.toLowerCase())
}
