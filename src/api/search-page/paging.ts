import { escape } from '../pages/page.ts'
import { addressOf, PAGE_COUNT, type Asked } from './read-asked.ts'

/** Results beyond this are not listed (contract). */
const RESULTS_MAX = 1000
const AROUND = 4

/** Links to the pages around this one; nothing where there is only one. */
export function renderPaging(asked: Asked, total: number): string {
  const last = Math.ceil(Math.min(total, RESULTS_MAX) / PAGE_COUNT[asked.kind])
  if (last <= 1 && asked.page === 1) return ''
  const link = (page: number, text: string, extra = ''): string =>
    `<a href="${escape(addressOf(asked, { page }))}"${extra}>${text}</a>`
  const first = Math.max(1, Math.min(asked.page - AROUND, last - 2 * AROUND))
  const numbers = Array.from({ length: Math.max(0, Math.min(last - first + 1, 2 * AROUND + 1)) }, (_, i) => first + i)
  const items = numbers.map((page) =>
    page === asked.page ? link(page, String(page), ' aria-current="page"') : link(page, String(page)),
  )
  const before = asked.page > 1 ? link(Math.min(asked.page - 1, Math.max(last, 1)), 'Previous', ' rel="prev"') : ''
  const after = asked.page < last ? link(asked.page + 1, 'Next', ' rel="next"') : ''
  return `<nav class="paging" aria-label="Pages">${before}${items.join('')}${after}</nav>`
}
