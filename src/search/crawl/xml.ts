import { SaxesParser, type SaxesTag } from 'saxes'

export type XmlElement = {
  /** Local name, lower case ("loc" of "image:loc"). */
  name: string
  /** Namespace prefix as written ("image"), empty without. */
  prefix: string
  attributes: ReadonlyMap<string, string>
  text: string
  children: XmlElement[]
}

const DEPTH_MAX = 32
const TEXT_MAX = 65_536

/**
 * Reads XML element by element: `onElement` is called with every whole element whose name is in `wanted`, and nothing
 * else is kept, so a file of any size takes little memory. Faults in the XML end nothing: what can be read is read.
 * Entities that a document defines itself are not expanded, so none can grow.
 */
export function readXml(text: string, wanted: ReadonlySet<string>, onElement: (element: XmlElement) => void): void {
  const parser = new SaxesParser({ fragment: false })
  const open: XmlElement[] = []
  let skipped = 0
  parser.on('error', () => undefined)
  parser.on('opentag', (tag) => {
    const element = newElement(tag.name, tag.attributes)
    const keep = open.length > 0 || wanted.has(element.name)
    if (keep && open.length < DEPTH_MAX && skipped === 0) open.push(element)
    else if (open.length > 0) skipped++
  })
  const addText = (part: string): void => {
    const element = open.at(-1)
    if (element !== undefined && skipped === 0 && element.text.length < TEXT_MAX) element.text += part
  }
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('closetag', () => {
    if (skipped > 0) {
      skipped--
      return
    }
    const element = open.pop()
    if (element === undefined) return
    const parent = open.at(-1)
    if (parent === undefined) onElement({ ...element, text: element.text.trim() })
    else parent.children.push({ ...element, text: element.text.trim() })
  })
  parser.write(text).close()
}

function newElement(fullName: string, attributes: SaxesTag['attributes']): XmlElement {
  const [name = '', prefix = ''] = fullName.toLowerCase().split(':').toReversed()
  const lower = Object.entries(attributes).map(([key, value]): [string, string] => [
    key.toLowerCase(),
    typeof value === 'string' ? value : value.value,
  ])
  return { name, prefix, attributes: new Map(lower), text: '', children: [] }
}

/** The text of the first child of a name, undefined where it is missing or empty. */
export function childText(element: XmlElement, name: string, prefix?: string): string | undefined {
  const child = element.children.find((one) => one.name === name && (prefix === undefined || one.prefix === prefix))
  return child === undefined || child.text === '' ? undefined : child.text
}
