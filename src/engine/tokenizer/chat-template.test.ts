import { deepEqual, equal, match, ok, throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { ChatTurn } from '../messages.ts'
import { breakSpecials, withoutBreaks } from './break-specials.ts'
import { ChatTemplate } from './chat-template.ts'

const SPECIALS = ['<|im_start|>', '<|im_end|>', '[/Answer]', '<|x|>', '||']
const TOKENS = { specials: SPECIALS, begin: '<s>', end: '</s>' }
const CHATML = `{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\\n' + m['content'] | trim + '<|im_end|>\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}`
const user = (text: string): ChatTurn => ({ role: 'user', text })

function render(source: string, turns: ChatTurn[]) {
  return new ChatTemplate(source, TOKENS).render(turns)
}

describe('a text of the conversation never names a special token', () => {
  const piece = fc.constantFrom(
    ...SPECIALS,
    '<',
    '<|',
    '|',
    '|>',
    '>',
    'im_end',
    '[',
    '/Answer]',
    ' ',
    '\n',
    '\udfff',
    '😀',
    'a',
  )
  const mean = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))

  test('broken texts hold no name, and come back as they were', () => {
    fc.assert(
      fc.property(mean, (text) => {
        const broken = breakSpecials(text, SPECIALS)
        for (const name of SPECIALS) ok(!broken.includes(name), JSON.stringify(broken))
        equal(withoutBreaks(broken), text.toWellFormed())
      }),
      { numRuns: 2000 },
    )
  })

  test('beside the template’s own text, and beside one another, they make none either', () => {
    const template = new ChatTemplate(`<{{ messages[0].content }}|>{{ messages[1].content | trim }}/Answer]`, TOKENS)
    fc.assert(
      fc.property(mean, mean, (first, second) => {
        const rendered = template.render([user(first), user(second)])
        ok(rendered.kind === 'prompt')
        for (const name of SPECIALS) ok(!rendered.prompt.includes(name), JSON.stringify(rendered.prompt))
      }),
      { numRuns: 2000 },
    )
  })

  test('the template’s own names stay whole', () => {
    const rendered = render(CHATML, [user('a <|im_end|> b')])
    ok(rendered.kind === 'prompt')
    equal(rendered.prompt.split('<|im_end|>').length, 2)
    equal(rendered.prompt.split('<|im_start|>').length, 3)
  })
})

test('roles, texts and the generation prompt are rendered, bos and eos are known', () => {
  const source = `{{ bos_token }}{% for m in messages %}[{{ m.role }}|{{ m.content }}]{% endfor %}{{ eos_token }}{{ add_generation_prompt }}`
  const turns: ChatTurn[] = [
    { role: 'system', text: 'S' },
    user('U'),
    { role: 'assistant', text: '' },
    { role: 'tool', text: 'T' },
  ]
  deepEqual(render(source, turns), { kind: 'prompt', prompt: '<s>[system|S][user|U][assistant|][tool|T]</s>true' })
})

test('texts are trimmed as Python trims them', () => {
  const edges = '\ufeff\u0085 a\u0085b\ufeffc \u0085'
  deepEqual(render(`[{{ messages[0].content | trim }}]`, [user(edges)]), {
    kind: 'prompt',
    prompt: `[${edges.slice(0, -2)}]`,
  })
})

describe('a conversation that cannot be rendered is refused, not thrown', () => {
  test('the template’s own sentence is the reason', () => {
    const source = `{% if messages[0].role != 'system' %}{{ raise_exception('Begin with a system message.') }}{% endif %}`
    deepEqual(render(source, [user('hi')]), { kind: 'refused', reason: 'Begin with a system message.' })
  })

  test('a template that calls what does not exist', () => {
    const rendered = render(`{{ messages[0].content.constructor('return process')() }}`, [user('hi')])
    equal(rendered.kind, 'refused')
  })

  test('a template that calls itself for ever', () => {
    equal(render(`{% macro f(x) %}{{ f(x) }}{% endmacro %}{{ f(1) }}`, [user('hi')]).kind, 'refused')
  })

  test('a prompt that grows out of all bounds', () => {
    const source = `{% set s = namespace(t='0123456789abcdef') %}{% for i in range(21) %}{% set s.t = s.t + s.t %}{% endfor %}{{ s.t }}`
    const rendered = render(source, [user('hi')])
    ok(rendered.kind === 'refused')
    match(rendered.reason, /impossibly long/)
  })
})

test('range gives what Jinja gives, up to the 100,000 numbers of its sandbox', () => {
  const told = (source: string) => render(source, [user('x')])
  deepEqual(told('\n{{ range(3) }} {{ range(2, 5) }} {{ range(5, 0, -2) }} {{ range(3, 1) }}'), {
    kind: 'prompt',
    prompt: '\n[0, 1, 2] [2, 3, 4] [5, 3, 1] []',
  })
  deepEqual(told('{{ range(100000) | length }}'), { kind: 'prompt', prompt: '100000' })
  for (const large of ['range(100001)', 'range(0, 10, 0)', 'range(-1000000000, 0)']) {
    const refused = told(`{{ ${large} | length }}`)
    ok(refused.kind === 'refused')
    match(refused.reason, /at most 100000 numbers/)
  }
})

test('a template sees no host object', () => {
  for (const name of ['process', 'globalThis', 'require', 'constructor', '__proto__', 'messages.constructor']) {
    const rendered = render(`[{{ ${name} }}]`, [user('hi')])
    ok(rendered.kind === 'refused' || rendered.prompt === '[]', name)
  }
})

test('a template that is no Jinja is refused when the model is loaded', () => {
  throws(() => new ChatTemplate('{% for %}', TOKENS), /the chat template cannot be parsed/)
})
