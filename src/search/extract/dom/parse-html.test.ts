import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { parseHtml } from './parse-html.ts'
import type { Element } from './element.ts'
import { textOf } from './text.ts'

/** The tree as nested names, text in quotes. */
function shape(element: Element): string {
  const inner = element.children.map((child) =>
    typeof child === 'string' ? JSON.stringify(child.trim()) : shape(child),
  )
  const kept = inner.filter((text) => text !== '""')
  return kept.length === 0 ? element.name : `${element.name}(${kept.join(' ')})`
}

const shapeOf = (html: string): string => shape(parseHtml(html).root).slice('#root('.length, -1)

describe('end tags that HTML lets people leave out are put in', () => {
  const cases: Record<string, string> = {
    '<ul><li>a<li>b</ul>': 'ul(li("a") li("b"))',
    '<p>a<p>b<div>c</div>': 'p("a") p("b") div("c")',
    '<table><tr><td>a<td>b<tr><td>c</table>': 'table(tr(td("a") td("b")) tr(td("c")))',
    '<dl><dt>a<dd>b<dt>c</dl>': 'dl(dt("a") dd("b") dt("c"))',
    '<ul><li>a<ul><li>b</ul><li>c</ul>': 'ul(li("a" ul(li("b"))) li("c"))',
    '<a href=x>one<a href=y>two</a>': 'a("one") a("two")',
    '<b><div>x</b>y</div>': 'b(div("xy"))',
    '</div>x</p>': '"x"',
    '<head><title>t</title><p>a': 'head(title("t")) p("a")',
    '<body><p>a</p></body></html><p>b</p>': 'body(p("a") p("b"))',
    '<p>a</p><![CDATA[x><p>b</p>': 'p("a") p("b")',
    '<svg><path><p>a</p>': 'svg p("a")',
    '<svg><foreignObject><div>a</div></foreignObject></svg><p>b': 'svg p("b")',
  }
  for (const [html, tree] of Object.entries(cases)) {
    test(html, () => equal(shapeOf(html), tree))
  }
})

test('entities are decoded in text and attributes', () => {
  const { root, elements } = parseHtml('<p title="a &amp; b">&lt;x&gt; &eacute; &#x1F600;</p>')
  equal(textOf(root), '<x> é 😀')
  equal(elements.find(({ name }) => name === 'p')?.attributes['title'], 'a & b')
})

test('styles, scripts, drawings and templates leave no text', () => {
  const html =
    '<style>a{}</style><script>var x = "<p>no</p>"</script><svg><text>no</text></svg><template><p>no</p></template><p>yes</p>' +
    '<p>more</p>'.repeat(200)
  ok(!textOf(parseHtml(html).root, 5_000).includes('no'))
})

describe('hostile pages stay within bounds', () => {
  const cases: Record<string, string> = {
    'a million open elements': '<div>'.repeat(1_000_000),
    'a million end tags': '</b>'.repeat(1_000_000),
    'formatting that never ends': '<b><i><a href=x>'.repeat(200_000),
    'an attribute of megabytes': `<p title="${'x'.repeat(5_000_000)}">a</p>`,
    'an element of 100,000 attributes': `<p ${'a=b '.repeat(100_000)}>a</p>`,
    'a comment that never ends': `<!--${'-'.repeat(3_000_000)}`,
    'a tag that never ends': `<p ${'<'.repeat(2_000_000)}`,
    'tables in tables': '<table><tr><td>'.repeat(100_000),
    'text of megabytes': 'x '.repeat(5_000_000),
  }
  for (const [name, html] of Object.entries(cases)) {
    test(name, () => {
      const startedAt = performance.now()
      const { elements } = parseHtml(html)
      ok(elements.length <= 200_000)
      ok(performance.now() - startedAt < 5_000, `${performance.now() - startedAt} ms`)
    })
  }
})

test('any soup of tags: every element lies inside its parent, and the same soup gives the same tree', () => {
  const tag = fc.constantFrom(
    '<p>',
    '</p>',
    '<div class=a>',
    '</div>',
    '<li>',
    '<table>',
    '<td>',
    '</table>',
    '<b>',
    '</b>',
    '<a href=x>',
    '</a>',
    '<script>',
    '</script>',
    'text',
    '<!--',
    '-->',
    '<',
    '&amp;',
    '"',
  )
  fc.assert(
    fc.property(
      fc.array(fc.oneof(tag, fc.string()), { maxLength: 60 }).map((parts) => parts.join('')),
      (html) => {
        const { elements } = parseHtml(html)
        for (const [order, element] of elements.entries()) {
          equal(element.order, order)
          if (element.parent !== undefined) ok(element.parent.contains(element) && element.last <= element.parent.last)
        }
        deepEqual(
          parseHtml(html).elements.map(({ name }) => name),
          elements.map(({ name }) => name),
        )
      },
    ),
  )
})
