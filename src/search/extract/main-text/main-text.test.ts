import { equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { extracted, linkedData, prose } from '../../../../test/support/extracted.ts'

const textOf = (body: string, url?: string, head = ''): string =>
  extracted(head, body, url === undefined ? {} : { url }).text

describe('what frames an article is left out', () => {
  const frames: Record<string, string> = {
    navigation: '<nav><a href="/a">Home</a> <a href="/b">Products</a></nav>',
    'a footer': '<footer><p>All rights reserved by the company of this site.</p></footer>',
    'a cookie notice':
      '<div class="cookie-banner"><p>We use cookies to improve your experience on this site.</p></div>',
    'a newsletter': '<div class="newsletter-signup"><p>Sign up to our newsletter to get the latest news.</p></div>',
    'related pages': '<div class="related-posts"><h3>Related</h3><p>Another story that you may like to read</p></div>',
    comments: '<div id="comments"><p>First! What a lovely story about boats, thank you for it.</p></div>',
    'a sidebar': '<div class="sidebar"><p>About the author of this site and his many hobbies.</p></div>',
    'a dialog': '<div role="dialog"><p>Please log in to go on with this page.</p></div>',
    'a hidden place': '<div style="display: none"><p>This cannot be seen by anybody at all.</p></div>',
    'a share bar': '<div class="share-buttons"><span>Share on this and on that network</span></div>',
    breadcrumbs: '<ol class="breadcrumb"><li><a href="/">Home</a></li><li><a href="/boats">Boats</a></li></ol>',
  }
  for (const [name, frame] of Object.entries(frames)) {
    test(name, () => {
      const text = textOf(`${frame}<article><h1>Boats</h1>${prose(5)}</article>${frame}`)
      const told =
        frame
          .replaceAll(/<[^>]+>/g, ' ')
          .trim()
          .split(/\s{2,}/)[0] ?? ''
      ok(!text.includes(told), text)
      equal(text.match(/old harbour/g)?.length, 5)
    })
  }
})

test('a theme that calls its whole page a sidebar or a menu keeps its text', () => {
  for (const name of ['has-sidebar sidebar-right', 'page-menu menu', 'site-header', 'modal-open modal']) {
    ok(textOf(`<div class="${name}"><div>${prose(6)}</div></div>`).includes('Paragraph 5'))
  }
})

test('text that one click folds out is read', () => {
  const answer = `<div class="accordion-body" style="display:none">${prose(3, 'lighthouse')}</div>`
  ok(textOf(`<article>${prose(6)}${answer}</article>`).includes('old lighthouse'))
})

test('parts that a server streams to the end of the page are read', () => {
  const late = `<div hidden id="S:0">${prose(3, 'lighthouse')}</div>`
  ok(textOf(`<main>${prose(2)}<template id="B:0"></template></main>${late}`).includes('old lighthouse'))
})

test('tabs full of text are text, whatever navigation calls itself', () => {
  ok(
    textOf(
      `<article>${prose(4)}</article><div class="faq-tabs menu">${prose(4, 'lighthouse')}</div>`,
      'https://example.org/services/x',
    ).includes('lighthouse'),
  )
})

test('a list of links is read where there is nothing else', () => {
  const rows = Array.from(
    { length: 30 },
    (_, i) => `<tr><td><a href="/${i}">Story number ${i} of the day</a></td></tr>`,
  )
  const text = textOf(`<table>${rows.join('')}</table>`, 'https://example.org/newest')
  ok(text.includes('Story number 0') && text.includes('Story number 29'))
})

test('a link between paragraphs and a heading that links are text, a run of links is not', () => {
  const run = Array.from({ length: 6 }, (_, i) => `<div><a href="/more/${i}">Another page, number ${i}</a></div>`).join(
    '',
  )
  const text = textOf(
    `<article>${prose(2)}<h2><a href="/x">A heading that links</a></h2><p><a href="/y">Read the whole report</a></p>${prose(2)}${run}</article>`,
  )
  ok(text.includes('A heading that links') && text.includes('Read the whole report') && !text.includes('Another page'))
})

test('cells of a row stand on one line, lines of a list on their own', () => {
  const text = textOf(
    `<article>${prose(3)}<table><tr><td>Length</td><td>12 m</td></tr></table><ul><li>first of all</li><li>then another</li></ul></article>`,
  )
  ok(text.includes('Length 12 m\n') && text.includes('first of all\nthen another'))
})

test('a page that scripts would draw shows its noscript text', () => {
  ok(textOf(`<div id="app"></div><noscript><article>${prose(4)}</article></noscript>`).includes('Paragraph 3'))
})

describe('a thread keeps every post, and its frames stay out', () => {
  const post = (i: number, name: string): string =>
    `<div class="post"><div class="author"><a class="username" href="/u/${i}">user${i}</a></div><time datetime="2024-03-0${i}">March ${i}, 2024</time><div class="${name}"><p>Post ${i} says that the pump must be cleaned first, and then the filter.</p></div><div class="signature">Sent from a boat</div></div>`
  for (const name of ['postbody', 'message-body', 'js-post-body', 'cooked', 'post_message']) {
    test(name, () => {
      const body = `<nav><a href="/">Forum</a></nav>${[1, 2, 3].map((i) => post(i, name)).join('')}<footer>Powered by a forum program</footer>`
      const page = extracted('', body, { url: 'https://forum.example.org/viewtopic.php?t=1' })
      equal(page.pageType, 'forum')
      for (const i of [1, 2, 3]) ok(page.text.includes(`Post ${i} says`) && page.text.includes(`user${i}`))
      ok(!page.text.includes('Sent from a boat') && !page.text.includes('Powered by'))
    })
  }
})

test('a product has the description that only its linked data tells, and not the opinions of others', () => {
  const description =
    'A kettle of brushed steel with a handle of walnut, made by hand in a small workshop, holds two litres and boils them in three minutes.'
  const head = linkedData({ '@type': 'Product', name: 'Kettle', description, offers: { price: 10 } })
  const reviews = `<div class="product-reviews"><p>I bought it for my mother and she is very happy with it.</p></div>`
  const page = extracted(head, `<main><h1>Kettle</h1>${prose(3)}${reviews}</main>`, {
    url: 'https://shop.example.org/products/kettle',
  })
  equal(page.pageType, 'product')
  ok(page.text.startsWith(description) && !page.text.includes('my mother'))
})

test('a thread that only linked data tells has its posts, in order', () => {
  const post = (text: string): object => ({ '@type': 'Comment', text })
  const told = [
    'The pump must be cleaned first, and then the filter.',
    'Mine was full of weeds when I looked into it last week.',
  ]
  const head = linkedData({
    '@type': 'DiscussionForumPosting',
    text: 'My boat takes in water, what can I do about it?',
    comment: told.map(post),
  })
  const { text } = extracted(head, '<div id="app"></div>', { url: 'https://forum.example.org/t/1' })
  equal(text, ['My boat takes in water, what can I do about it?', ...told].join('\n'))
})

test('an empty page is read from the state that its scripts would draw it from', () => {
  const told = 'The old boats lie in the harbour in winter, and the people who own them mend their nets in the sheds.'
  const state = {
    props: { story: { body: `<p>${told}</p>`, id: 'a-b-c' }, cookieText: told.replaceAll('boats', 'cookies') },
  }
  const script = `<script id="state" type="application/json">${JSON.stringify(state)}</script>`
  equal(textOf(`<div id="app">Loading</div>${script}`), `${told}\nLoading`)
  ok(!textOf(`<article>${prose(8)}</article>${script}`).includes('in the sheds'))
})

test('a shadow root that the server declares is read, a template is not', () => {
  ok(
    textOf(`<my-post><template shadowrootmode="open"><div>${prose(3)}</div></template></my-post>`).includes(
      'Paragraph 2',
    ),
  )
  ok(!textOf(`<article>${prose(8)}</article><template>${prose(3, 'lighthouse')}</template>`).includes('lighthouse'))
})

test('a page that has nothing but a template, or never ends one, is read from it', () => {
  ok(textOf(`<template>${prose(3)}</template>`).includes('Paragraph 2'))
  ok(textOf(`<header>Site</header><template id="page"><main>${prose(5)}</main>`).includes('Paragraph 4'))
})

test('empty, broken and textless pages give empty text', () => {
  for (const body of ['', '<div></div>', '<img src=a.png>', '<<<>>>', '<p></p>'.repeat(100)])
    equal(typeof textOf(body), 'string')
  equal(textOf('<div></div>'), '')
})
