/** A node of our light tree: an element, or a string of text with its entities decoded. */
export type Node = Element | string

export type Attributes = Readonly<Record<string, string | undefined>>

/** An element: only what extraction reads is kept. `order` numbers elements in document order; `last` is the highest order inside. */
export class Element {
  readonly name: string
  readonly attributes: Attributes
  readonly parent: Element | undefined
  readonly order: number
  readonly children: Node[] = []
  last: number
  #marks: string | undefined

  constructor(name: string, attributes: Attributes, parent: Element | undefined, order: number) {
    this.name = name
    this.attributes = attributes
    this.parent = parent
    this.order = order
    this.last = order
  }

  /** Class and id in lower case, parted by spaces: what says how the author calls this place. */
  get marks(): string {
    this.#marks ??= `${this.attributes['class'] ?? ''} ${this.attributes['id'] ?? ''}`.toLowerCase()
    return this.#marks
  }

  /** Is `other` inside this element, or the same? */
  contains(other: Element): boolean {
    return other.order >= this.order && other.order <= this.last
  }
}

/** The nearest ancestor, itself included, that `holds`. */
export function closest(element: Element, holds: (element: Element) => boolean): Element | undefined {
  for (let at: Element | undefined = element; at !== undefined; at = at.parent) if (holds(at)) return at
  return undefined
}
