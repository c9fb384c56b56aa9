import { closest, type Element } from '../dom/element.ts'
import { collapse, textOf } from '../dom/text.ts'
import type { Page } from '../facts/page.ts'
import type { Block } from './blocks.ts'

/** What forum programs call the text of one post: XenForo, phpBB, vBulletin, MyBB, FluxBB, Invision, Discourse, Stack Exchange, Khoros, Reddit, bbPress, Vanilla. */
const BODY = new RegExp(
  String.raw`(?:^|\s)(?:` +
    // What most programs compose: post-body, message__content, forum-reply_text, js-comment-html.
    String.raw`(?:[a-z]{1,12}[-_]{1,2}){0,2}(?:post|message|msg|comment|comm|reply|answer|question|topic|thread)[-_]{0,2}(?:body|content|contents|text|html|prose)` +
    String.raw`|bbwrapper|postmsg|post_message(?:_\d+)?|post-message|s-prose|cooked|lia-message-body(?:-content)?|cpost_contentwrap` +
    String.raw`|ipstype_richtext|toptext|usertext-body|md|bbp-(?:reply|topic)-content|message|forum-post-(?:body|content)|talk-post|markdown-body` +
    String.raw`)(?:$|\s)`,
)
const CONTENT_IN_BODY = /(?:^|\s)content(?:$|\s)/
const AUTHOR =
  /(?:^|[\s_-])(?:user-?name|author(?:-?name)?|poster|nickname|user-?link|display-?name|creator|postprofile|user-?details|member-?name|login|nick)(?:$|[\s_-])/
/** Lines that a forum program writes into a post. */
const NOISE =
  /^(?:click to expand\b.*|last edited(?: by)?\b.*|reactions?:.*|quote|reply|report|like|share|save|follow|edited|op posts:.*|attachments?.*|sent from my .*|loading\b.*)$/i
const SIGNATURE =
  /(?:^|[\s_-])(?:signature|sig|post-?signature|lastedit|attachments?|reactions?\S*|likes?|lightbox\S*|expandlink|expand-?link|js-expandlink)(?:$|[\s_-])/
const POSTS_MAX = 1_000
/** Posts that hold less of the page's prose are not all of them: then the page is read as a whole. */
const POSTS_SHARE_MIN = 0.5

/** Every post of a thread as lines: its writer, its time and its text. Undefined where no posts can be told apart. `total`: prose of the page. */
export function readPosts(page: Page, blocks: Block[], total: number): string[] | undefined {
  const bodies = findBodies(page)
  if (bodies.length === 0) return undefined
  const lines: string[] = []
  let characters = 0
  let at = 0
  for (const [i, body] of bodies.entries()) {
    while (at < blocks.length && (blocks[at]?.element.order ?? 0) < body.order) at++
    const text: string[] = []
    for (; at < blocks.length; at++) {
      const block = blocks[at]
      if (block === undefined || !body.contains(block.element)) break
      if (!NOISE.test(block.text) && !isSignature(block.element, body)) text.push(block.text)
    }
    if (text.length === 0) continue
    lines.push(...headOf(body, bodies[i - 1], bodies[i + 1]), ...text)
    characters += text.reduce((sum, line) => sum + line.length, 0)
  }
  return characters > POSTS_SHARE_MIN * total ? lines : undefined
}

/** Elements that hold a post's text, outermost of each; microdata decides where it marks posts. */
function findBodies(page: Page): Element[] {
  const marked = outermost(page, (element) => {
    const property = element.attributes['itemprop']
    return property === 'text' || property === 'articleBody'
  })
  return marked.length > 1 ? marked : outermost(page, (element) => BODY.test(element.marks) || isPhpbbContent(element))
}

function isPhpbbContent(element: Element): boolean {
  return (
    CONTENT_IN_BODY.test(element.marks) &&
    element.parent !== undefined &&
    /(?:^|[\s_-])postbody/.test(element.parent.marks)
  )
}

function outermost(page: Page, holds: (element: Element) => boolean): Element[] {
  const found: Element[] = []
  for (const element of page.tree.elements) {
    if (element.name === 'meta' || element.name === 'body' || element.name === 'html' || found.length >= POSTS_MAX)
      continue
    const last = found.at(-1)
    if (last !== undefined && last.contains(element)) {
      // A body that holds several bodies is the thread, not a post: its inner ones count.
      continue
    }
    if (holds(element) && !holdsSeveral(element, page, holds)) found.push(element)
  }
  return found
}

function holdsSeveral(element: Element, page: Page, holds: (element: Element) => boolean): boolean {
  let inside = 0
  let end = -1
  for (let order = element.order + 1; order <= element.last && order < element.order + 3_000; order++) {
    const inner = page.tree.elements[order]
    if (inner === undefined || order <= end || !holds(inner)) continue
    inside++
    end = inner.last
    if (inside > 1) return true
  }
  return false
}

function isSignature(element: Element, body: Element): boolean {
  return closest(element, (at) => at === body || SIGNATURE.test(at.marks)) !== body
}

/** The writer and the time of the post: they stand around its body, before the neighbours' bodies. */
function headOf(body: Element, before: Element | undefined, after: Element | undefined): string[] {
  let post = body
  while (post.parent !== undefined && post.parent.name !== 'body' && post.parent.name !== 'html') {
    const next = post.parent
    if ((before !== undefined && next.contains(before)) || (after !== undefined && next.contains(after))) break
    post = next
  }
  if (post === body || (before === undefined && after === undefined)) return []
  const lines: string[] = []
  let author: string | undefined
  let time: string | undefined
  const walk = (at: Element): void => {
    for (const child of at.children) {
      if (typeof child === 'string' || child === body || (author !== undefined && time !== undefined)) continue
      if (author === undefined && (child.attributes['itemprop'] === 'author' || AUTHOR.test(child.marks)))
        author = shortText(child)
      if (time === undefined && child.name === 'time') time = shortText(child) ?? child.attributes['title']
      walk(child)
    }
  }
  walk(post)
  if (author !== undefined) lines.push(author)
  if (time !== undefined) lines.push(collapse(time))
  return lines
}

function shortText(element: Element): string | undefined {
  const text = textOf(element, 80)
  return text !== '' && text.length < 50 ? text : undefined
}
