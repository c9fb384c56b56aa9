import { metaOf, type Head } from './head.ts'

/** Labels that a site gives itself: RTA (rtalabel.org), `rating`, and ICRA's PICS label with nudity or sex above zero. */
const RTA = /RTA-5042-1996-1400-1577-RTA/i
const RATING = /^(?:adult|mature|restricted|rta.*|18\+?)$/i
const PICS = /\b(?:nz|sz|oz|nr|sr|n|s)\s+[1-9]/i

/** Parts of host names, on label or hyphen boundaries or long enough to mean nothing else. */
const HOST =
  /(?:^|[.-])(?:porn|xxx|sex|adult|nude|nsfw|hentai|milf|escorts?|camgirls?)(?:[.-]|$)|porn|xvideos|xhamster|xnxx|redtube|brazzers|hentai|camgirl|onlyfans-?leak|\.(?:xxx|porn|sex|adult)$/i

/** Words and what each says; whole words only, so that Essex, Scunthorpe and analysis say nothing. Medical words are not in it. */
const WORDS: [number, string][] = [
  [
    3,
    'porn porno pornhub xvideos xnxx blowjob blowjobs handjob creampie gangbang bukkake deepthroat cumshot cumshots milf milfs hentai camgirl camgirls fleshlight fisting bdsm femdom threesome orgy',
  ],
  [
    2,
    'xxx nsfw nudes fuck fucked fucking cock cocks pussy pussies cum dildo dildos tits boobs anal ass horny slut sluts whore whores masturbation masturbating strapon hardcore escorts upskirt voyeur erotic',
  ],
  [
    1,
    'sex sexy nude naked nudity fetish lesbian amateur teen teens webcam busty kinky orgasm lingerie uncensored adult',
  ],
  [
    3,
    'порно порнуха трах трахает минет шлюхи ебля porno pornos ficken fotze schwanz nackt muschi titten putas follando coño polla tetas nackte salope baise bite chatte scopare troia cazzo figa',
  ],
]
const HAN =
  /色情|成人(?:视频|電影|电影|影片|小说)|裸体|做爱|性交|口交|无码|無碼|有码|自慰|淫(?:乱|荡|妇)|巨乳|中出|アダルト|エロ(?:動画|漫画)?|無修正|人妻|フェラ|야동|섹스|포르노/g

const DIFFERENT_MIN = 5
const WEIGHT = new Map(
  WORDS.flatMap(([weight, words]) => words.split(' ').map((word): [string, number] => [word, weight])),
)

/** 0 (none) to 1 (sure) that a page is for adults only: by its labels, its host and the density of telling words. */
export function scoreAdult(head: Head, url: string, text: string): number {
  const labels = [...(head.meta.get('rating') ?? []), ...(head.meta.get('label') ?? [])]
  if (labels.some((label) => RATING.test(label) || RTA.test(label))) return 1
  if (
    (head.meta.get('pics-label') ?? []).some(
      (label) => RTA.test(label) || (/icra|rsac/i.test(label) && PICS.test(label)),
    )
  )
    return 0.9
  const own = metaOf(head, 'description', 'og:description') ?? ''
  const words = scoreWords(
    `${head.title} ${head.title} ${own} ${metaOf(head, 'keywords') ?? ''} ${text.slice(0, 20_000)}`,
  )
  const host = HOST.test(new URL(url).hostname) ? 0.5 : 0
  return Math.min(1, Math.round((host + words) * 100) / 100)
}

/** Three telling words in a hundred are sure; a single one in a long text is a quotation. What different ones say must add up: one alone may be a cock or a teen. */
function scoreWords(text: string): number {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const seen = new Map<string, number>()
  for (const word of words) if (WEIGHT.has(word)) seen.set(word, (seen.get(word) ?? 0) + 1)
  const han = text.match(HAN) ?? []
  const different = [...seen.keys()].reduce((sum, word) => sum + (WEIGHT.get(word) ?? 0), 3 * new Set(han).size)
  if (different < DIFFERENT_MIN) return 0
  let score = han.length * 3
  for (const [word, times] of seen) score += (WEIGHT.get(word) ?? 0) * Math.min(times, 20)
  const strong = han.length > 0 || [...seen.keys()].some((word) => (WEIGHT.get(word) ?? 0) >= 2)
  const density = score / (Math.max(words.length, 50) * (strong ? 0.06 : 0.2))
  return Math.min(1, density < 0.15 ? 0 : density)
}
