import { Tokenizer } from 'htmlparser2'
import { Element, type Attributes } from './element.ts'
import { CLOSED_BY, FORMATTING, HEAD_CONTENT, KEPT_ATTRIBUTES, NOT_FOREIGN, SCOPES, VOID } from './html-rules.ts'

/** Bounds of one page's tree: far above what people write, low enough that no page takes more than seconds or some 100 MB. */
const HTML_CHARACTERS_MAX = 8_000_000
const ELEMENTS_MAX = 200_000
const TEXT_CHARACTERS_MAX = 4_000_000
const DEPTH_MAX = 400
/** A page with less text and with templates is read again with what stands in them. */
const TEXT_CHARACTERS_MIN = 600
/** How far up an inline end tag looks for its element: a page of stray end tags must not cost the depth each time. */
const FORMATTING_LEVELS = 40
const ATTRIBUTES_MAX = 48
const VALUE_CHARACTERS_MAX = 8_192
const SCRIPT_CHARACTERS_MAX = 1_000_000

/**
 * HTML has no CDATA sections: what looks like one ends with its first `>` (13.2.5.42). The tokenizer would look for `]]>`, to the end of the
 * page. Of the same length, so that no other place moves.
 */
const CDATA = '<![CDATA['
const NO_CDATA = '<! CDATA '

export type HtmlTree = {
  root: Element
  /** All elements in document order. */
  elements: Element[]
  /** A bound was reached: the end of the page is missing. */
  truncated: boolean
}

/** Builds the light tree in one pass. Never throws; work and memory grow with the text's length only, within the bounds above. */
export function parseHtml(html: string): HtmlTree {
  const bounded = html.length > HTML_CHARACTERS_MAX ? html.slice(0, HTML_CHARACTERS_MAX) : html
  const text = bounded.includes(CDATA) ? bounded.replaceAll(CDATA, NO_CDATA) : bounded
  const builder = new TreeBuilder(text, false)
  const tree = builder.build()
  // A page that scripts fill from its templates, or whose template never ends, has its text in them.
  if (builder.hasTemplates && builder.textCharacters < TEXT_CHARACTERS_MIN) return new TreeBuilder(text, true).build()
  return tree
}

/** What the tokenizer calls; offsets are places in the whole text, which is written at once. */
class TreeBuilder {
  readonly #html: string
  readonly #root = new Element('#root', {}, undefined, 0)
  readonly #elements: Element[] = [this.#root]
  readonly #stack: Element[] = [this.#root]
  /** Elements deeper than the bound stand flat in the deepest one; their end tags are counted, not looked up. */
  #tooDeep = 0
  #textCharacters = 0
  #truncated: boolean
  #name = ''
  #attributes: Record<string, string | undefined> = {}
  #attributeCount = 0
  #attribute = ''
  #value = ''
  /** Name of the element whose content is dropped (`style`, `svg`, a script that is no data), and how deep in itself. */
  #dropped = ''
  #droppedDepth = 0
  /** Dropped is a drawing or a formula in which no HTML has been announced. */
  #isForeign = false

  readonly #keepsTemplates: boolean
  hasTemplates = false

  constructor(html: string, keepsTemplates: boolean) {
    this.#html = html
    this.#keepsTemplates = keepsTemplates
    this.#truncated = html.length >= HTML_CHARACTERS_MAX
  }

  build(): HtmlTree {
    const tokenizer = new Tokenizer({ decodeEntities: true }, this)
    tokenizer.write(this.#html)
    tokenizer.end()
    for (let i = this.#elements.length - 1; i > 0; i--) {
      const element = this.#elements[i]
      if (element?.parent !== undefined) element.parent.last = Math.max(element.parent.last, element.last)
    }
    return { root: this.#root, elements: this.#elements, truncated: this.#truncated }
  }

  onopentagname(start: number, end: number): void {
    this.#name = this.#html.slice(start, Math.min(end, start + 64)).toLowerCase()
    this.#attributes = {}
    this.#attributeCount = 0
  }

  onattribname(start: number, end: number): void {
    const name = end - start > 32 ? '' : this.#html.slice(start, end).toLowerCase()
    this.#attribute = KEPT_ATTRIBUTES.has(name) && this.#attributeCount < ATTRIBUTES_MAX ? name : ''
    this.#value = ''
  }

  onattribdata(start: number, end: number): void {
    const room = VALUE_CHARACTERS_MAX - this.#value.length
    if (this.#attribute !== '' && room > 0) this.#value += this.#html.slice(start, Math.min(end, start + room))
  }

  onattribentity(codePoint: number): void {
    if (this.#attribute !== '' && this.#value.length < VALUE_CHARACTERS_MAX) this.#value += letter(codePoint)
  }

  onattribend(): void {
    if (this.#attribute === '' || this.#attributes[this.#attribute] !== undefined) return
    this.#attributes[this.#attribute] = this.#value
    this.#attributeCount++
  }

  onopentagend(): void {
    if (this.#isForeign && NOT_FOREIGN.has(this.#name)) this.#dropped = ''
    if (this.#dropped !== '') {
      if (this.#name === this.#dropped) this.#droppedDepth++
      if (this.#name === 'foreignobject') this.#isForeign = false
      return
    }
    this.#open(this.#name, this.#attributes)
  }

  onselfclosingtag(end: number): void {
    if (this.#dropped !== '') return
    if (this.#name !== 'svg' && this.#name !== 'math') this.onopentagend()
    void end
  }

  onclosetag(start: number, end: number): void {
    const name = this.#html.slice(start, Math.min(end, start + 64)).toLowerCase()
    if (this.#dropped !== '') {
      if (name === this.#dropped && --this.#droppedDepth <= 0) this.#dropped = ''
      return
    }
    if (name === 'br') this.#open('br', {})
    // What stands behind `</body>` is still the body's: HTML, 13.2.6.4.19.
    if (VOID.has(name) || name === 'body' || name === 'html') return
    if (this.#tooDeep > 0) this.#tooDeep--
    else this.#close(name)
  }

  ontext(start: number, end: number): void {
    if (this.#dropped === '') this.#text(this.#html.slice(start, end))
  }

  ontextentity(codePoint: number): void {
    if (this.#dropped === '') this.#text(letter(codePoint))
  }

  oncdata(start: number, end: number): void {
    if (this.#top().name === 'script') this.ontext(start, end)
  }

  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onend(): void {}

  /** Of text outside scripts and what is dropped. */
  get textCharacters(): number {
    return this.#textCharacters
  }

  #top(): Element {
    return this.#stack.at(-1) ?? this.#root
  }

  #open(name: string, attributes: Attributes): void {
    if (this.#elements.length >= ELEMENTS_MAX) {
      this.#truncated = true
      return
    }
    if (name === 'image') return this.#open('img', attributes)
    if (this.#top().name === 'head' && !HEAD_CONTENT.has(name)) this.#stack.pop()
    this.#closeImplied(name)
    const parent = this.#top()
    const element = new Element(name, attributes, parent, this.#elements.length)
    this.#elements.push(element)
    parent.children.push(element)
    if (name === 'template') this.hasTemplates = true
    if (isDropped(name, attributes) && !(name === 'template' && this.#keepsTemplates)) {
      this.#dropped = name
      this.#droppedDepth = 1
      this.#isForeign = name === 'svg' || name === 'math'
    } else if (!VOID.has(name)) {
      if (this.#stack.length >= DEPTH_MAX) this.#tooDeep++
      else this.#stack.push(element)
    }
  }

  /** `<li>` ends an open `<li>` of the same list, `<div>` an open `<p>`, and so on. */
  #closeImplied(name: string): void {
    const ends = CLOSED_BY.get(name)
    if (ends === undefined) return
    const scope = SCOPES.get(name)
    for (let i = this.#stack.length - 1; i > 0 && i > this.#stack.length - 12; i--) {
      const open = this.#stack[i]?.name ?? ''
      if (ends.has(open)) {
        this.#stack.length = i
        return
      }
      if (scope === undefined || scope.has(open)) return
    }
  }

  #close(name: string): void {
    const inline = FORMATTING.has(name)
    const lowest = inline ? Math.max(0, this.#stack.length - 1 - FORMATTING_LEVELS) : 0
    for (let i = this.#stack.length - 1; i > lowest; i--) {
      const open = this.#stack[i]?.name ?? ''
      if (open === name) {
        // `<a><div></a>` ends the link and leaves the block open, as browsers do.
        if (inline) this.#stack.splice(i, 1)
        else this.#stack.length = i
        return
      }
      if ((open === 'td' || open === 'th' || open === 'table') && !isTablePart(name)) return
    }
  }

  #text(text: string): void {
    const parent = this.#top()
    const room = parent.name === 'script' ? SCRIPT_CHARACTERS_MAX : TEXT_CHARACTERS_MAX - this.#textCharacters
    if (room <= 0) {
      this.#truncated = true
      return
    }
    const kept = text.length > room ? text.slice(0, room) : text
    if (parent.name !== 'script') this.#textCharacters += kept.length
    const last = parent.children.length - 1
    const before = parent.children[last]
    if (typeof before === 'string') parent.children[last] = before + kept
    else parent.children.push(kept)
  }
}

function isTablePart(name: string): boolean {
  return name === 'table' || name === 'tr' || name === 'tbody' || name === 'thead' || name === 'tfoot' || name === 'td'
}

function isDropped(name: string, attributes: Attributes): boolean {
  if (name === 'script') return !/json/i.test(attributes['type'] ?? '') || !/ld/i.test(attributes['type'] ?? '')
  // A template that is a shadow root is shown in its place.
  if (name === 'template') return attributes['shadowrootmode'] === undefined && attributes['shadowroot'] === undefined
  return name === 'style' || name === 'svg' || name === 'math'
}

function letter(codePoint: number): string {
  return codePoint >= 0 && codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : ''
}
