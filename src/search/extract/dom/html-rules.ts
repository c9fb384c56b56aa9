/** What HTML says of its elements, as far as a light tree needs it (https://html.spec.whatwg.org/multipage/syntax.html). */
const words = (text: string): Set<string> => new Set(text.split(' '))

export const VOID = words('area base basefont br col embed frame hr img input keygen link meta param source track wbr')

/** Inline elements whose end tag ends only themselves. */
export const FORMATTING = words('a b big code em font i nobr s small span strike strong sub sup tt u label')

/** Elements that stand on lines of their own. */
export const BLOCKS = words(
  'address article aside blockquote body button caption center dd details dialog dir div dl dt fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html iframe legend li main menu nav noframes noscript object ol option p pre search section select summary table tbody td textarea tfoot th thead tr ul video audio canvas',
)

/** What a head may hold; anything else ends it, whether the page says so or not. */
export const HEAD_CONTENT = words('base basefont bgsound link meta noframes noscript script style template title head')

/** Elements that no drawing or formula holds: one of them ends an `<svg>` or `<math>` that was never closed. */
export const NOT_FOREIGN = words(
  'body div p table ul ol li dl h1 h2 h3 h4 h5 h6 section article main header footer nav aside form blockquote pre center',
)

const P = words('p')
const P_AND_HEADINGS = words('p h1 h2 h3 h4 h5 h6')

/** Name → the open elements that it ends. */
export const CLOSED_BY = new Map<string, Set<string>>([
  ...'address article aside blockquote center details dialog div dl fieldset figcaption figure footer form header hr main nav ol pre search section table ul'
    .split(' ')
    .map((name): [string, Set<string>] => [name, P]),
  ...'p h1 h2 h3 h4 h5 h6'.split(' ').map((name): [string, Set<string>] => [name, name === 'p' ? P : P_AND_HEADINGS]),
  ['li', words('li')],
  ['dd', words('dd dt')],
  ['dt', words('dd dt')],
  ['tr', words('tr')],
  ['td', words('td th')],
  ['th', words('td th')],
  ['tbody', words('tbody thead tfoot')],
  ['tfoot', words('tbody thead')],
  ['option', words('option')],
  ['optgroup', words('optgroup option')],
  ['a', words('a')],
  ['rt', words('rt rp')],
  ['rp', words('rt rp')],
  ['body', words('head')],
])

/** Name → where looking up for an element to end stops; without one only the innermost is looked at. */
export const SCOPES = new Map<string, Set<string>>([
  ['li', words('ul ol menu dir table')],
  ['dd', words('dl table')],
  ['dt', words('dl table')],
  ['tr', words('table')],
  ['td', words('tr table')],
  ['th', words('tr table')],
  ['tbody', words('table')],
  ['tfoot', words('table')],
])

/** Attributes that some rule reads; all others are left out of the tree. */
export const KEPT_ATTRIBUTES = words(
  'alt aria-hidden aria-label charset class colspan content data-lazy-src data-original data-poster data-src data-srcset data-time data-timestamp data-date data-utime datetime data-lazy-srcset data-video-id hidden height href hreflang http-equiv id itemid itemprop itemscope itemtype label lang media name poster property pubdate rel role shadowroot shadowrootmode sizes src srcset style title type value width xml:lang',
)
