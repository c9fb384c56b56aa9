/** Where and why a text is not JSON with comments. `line` counts from 1. */
export class JsoncError extends Error {
  readonly line: number
  constructor(message: string, line: number) {
    super(message)
    this.line = line
  }
}

/**
 * Parses JSON (RFC 8259) that may also hold `//` and block comments, a comma after the last member, and a byte order
 * mark. Comments become spaces first, so that every place in a message of the JSON parser is a place in the file.
 */
export function parseJsonc(text: string): unknown {
  const plain = blankTrailingCommas(blankComments(text.replace(/^\uFEFF/, ' ')))
  try {
    return JSON.parse(plain)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const position = Number(/position (\d+)/.exec(message)?.[1] ?? plain.length)
    const line = plain.slice(0, position).split('\n').length
    throw new JsoncError(message.replace(/ in JSON at position.*$| is not valid JSON$/s, ''), line)
  }
}

/** Strings are matched first, so that what looks like a comment inside one stays. */
const STRING_OR_COMMENT = /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g

function blankComments(text: string): string {
  return text.replace(STRING_OR_COMMENT, (part) => (part.startsWith('"') ? part : part.replace(/[^\n]/g, ' ')))
}

const STRING_OR_LAST_COMMA = /"(?:[^"\\\n]|\\.)*"|,(?=\s*[}\]])/g

function blankTrailingCommas(text: string): string {
  return text.replace(STRING_OR_LAST_COMMA, (part) => (part === ',' ? ' ' : part))
}
