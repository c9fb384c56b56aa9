import type { ChatTurn } from '../../engine/messages.ts'
import { ApiError } from '../errors.ts'
import { isFields, notAllowed } from '../read-field.ts'
import { requireText } from '../read-json.ts'
import { ROLES } from './schema.ts'

const ROLE_OF = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
} as const satisfies Record<(typeof ROLES)[number], ChatTurn['role']>

/** The conversation as the engine takes it: roles joined, parts joined, text checked. */
export function parseMessages(value: unknown): ChatTurn[] {
  const allowed = 'an array of at least one message'
  if (!Array.isArray(value) || value.length === 0) throw notAllowed('messages', value, allowed)
  return value.map((message, i) => parseMessage(message, `messages[${i}]`))
}

function parseMessage(message: unknown, param: string): ChatTurn {
  if (!isFields(message)) throw notAllowed(param, message, 'an object with role and content')
  const role = ROLES.find((name) => name === message['role'])
  if (role === undefined) throw notAllowed(`${param}.role`, message['role'], ROLES.join(', '))
  return { role: ROLE_OF[role], text: parseContent(message['content'], role, `${param}.content`) }
}

function parseContent(content: unknown, role: string, param: string): string {
  // Clients send null where an earlier reply was a tool call.
  if (role === 'assistant' && (content ?? undefined) === undefined) return ''
  if (typeof content === 'string') return checked(content, param)
  if (!Array.isArray(content) || content.length === 0)
    throw notAllowed(param, content, 'a string, or an array of text parts')
  return content.map((part, i) => parsePart(part, `${param}[${i}]`)).join('\n')
}

function parsePart(part: unknown, param: string): string {
  if (!isFields(part)) throw notAllowed(param, part, 'an object with type "text" and text')
  if (part['type'] !== 'text') {
    if (typeof part['type'] !== 'string') throw notAllowed(`${param}.type`, part['type'], '"text"')
    throw new ApiError('invalid_request', {
      param: `${param}.type`,
      text: `${param}.type is ${JSON.stringify(part['type'].slice(0, 80))}; allowed: "text". The models read text only.`,
    })
  }
  if (typeof part['text'] !== 'string') throw notAllowed(`${param}.text`, part['text'], 'a string')
  return checked(part['text'], `${param}.text`)
}

function checked(text: string, param: string): string {
  requireText(text, param)
  return text
}
