import { isUtf8 } from 'node:buffer'
import { ApiError } from './errors.ts'
import { isFields, type Fields } from './read-field.ts'

/** C0 controls but tab, line feed and carriage return: text they cannot be. */
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/

/** A request body that must be a JSON object in UTF-8. */
export function readJsonObject(body: Buffer): Fields {
  if (!isUtf8(body)) throw new ApiError('request_failed', { detail: 'The body is not valid UTF-8.' })
  const value = parse(body.toString('utf8').replace(/^\ufeff/, ''))
  if (!isFields(value)) throw new ApiError('invalid_request', { text: 'The body must be a JSON object.' })
  return value
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // V8's own message quotes the body, which may be a prompt.
    throw new ApiError('invalid_request', {
      text: text.trim() === '' ? 'The body is empty: send a JSON object.' : 'The body is not valid JSON.',
    })
  }
}

/** Throws `Request failed.` where a string holds what cannot be text: lone surrogates, NUL and other C0 controls. */
export function requireText(text: string, param: string): void {
  const control = CONTROL.exec(text)
  if (control !== null) {
    const point = text.charCodeAt(control.index).toString(16).toUpperCase().padStart(4, '0')
    throw new ApiError('request_failed', {
      param,
      detail: `Control character U+${point} at character ${control.index}.`,
    })
  }
  if (!text.isWellFormed()) {
    throw new ApiError('request_failed', { param, detail: 'A surrogate stands alone: the text is not valid Unicode.' })
  }
}
