import { escape } from '../pages/page.ts'
import type { Asked } from './read-asked.ts'

const TIMES: readonly (readonly [value: string, text: string])[] = [
  ['noLimit', 'Any time'],
  ['oneDay', 'Past 24 hours'],
  ['oneWeek', 'Past week'],
  ['oneMonth', 'Past month'],
  ['oneYear', 'Past year'],
]

/** The box with its filters: one form, sent by Enter or its button. */
export function renderFilters(asked: Asked): string {
  const known = TIMES.some(([value]) => value === asked.freshness)
  // A day or a range that came by the address stays chosen.
  const times = known ? TIMES : [...TIMES, [asked.freshness, asked.freshness] as const]
  const options = times.map(
    ([value, text]) =>
      `<option value="${escape(value)}"${value === asked.freshness ? ' selected' : ''}>${escape(text)}</option>`,
  )
  const kind = asked.kind === 'web' ? '' : `<input type="hidden" name="type" value="${asked.kind}">`
  return `<form role="search" aria-label="Search" action="/search" method="get" class="box">${kind}
<div class="line"><label class="unseen" for="q">Search for</label>
<input id="q" name="q" type="search" value="${escape(asked.query)}" maxlength="2000" required autocomplete="off" spellcheck="false" enterkeyhint="search" placeholder="Search"${asked.query === '' ? ' autofocus' : ''}>
<button type="submit">Search</button></div>
<div class="filters"><label>Time <select name="freshness">${options.join('')}</select></label>
<label>Site <input name="site" value="${escape(asked.site)}" placeholder="example.org" autocomplete="off" autocapitalize="none" spellcheck="false"></label></div>
</form>`
}
