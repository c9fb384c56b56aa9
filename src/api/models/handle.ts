import { Type } from 'typebox'
import type { ModelCard } from '../../engine/messages.ts'
import type { Answer } from '../answer.ts'
import type { Call } from '../call.ts'
import type { Deps } from '../deps.ts'
import { ApiError } from '../errors.ts'

export const modelSchema = Type.Object({
  id: Type.String({ description: 'What goes into `model` of a request.' }),
  object: Type.Literal('model'),
  created: Type.Integer({ description: 'Unix time in seconds: when the weights were made.' }),
  owned_by: Type.String(),
  name: Type.String(),
  description: Type.String(),
  license: Type.String(),
  architecture: Type.String(),
  parameters: Type.Integer(),
  context_tokens: Type.Integer({ description: 'The window: prompt and reply together.' }),
})

export const modelListSchema = Type.Object({ object: Type.Literal('list'), data: Type.Array(modelSchema) })

export function handleModelList(_call: Call, deps: Deps): Answer {
  return { kind: 'json', body: { object: 'list', data: deps.engine.health().models.map(renderModel) } }
}

export function handleModel(call: Call, deps: Deps): Answer {
  const { models } = deps.engine.health()
  const id = call.parameters['model'] ?? ''
  const card = models.find((model) => model.id === id)
  if (card !== undefined) return { kind: 'json', body: renderModel(card) }
  const known = models.map((model) => model.id).join(', ')
  throw new ApiError('not_found', { param: 'model', text: `There is no model ${JSON.stringify(id.slice(0, 80))}; there are: ${known}.` })
}

function renderModel(card: ModelCard) {
  return {
    id: card.id,
    object: 'model',
    created: Math.floor(card.createdAt),
    owned_by: 'unmask',
    name: card.name,
    description: card.description,
    license: card.license,
    architecture: card.architecture,
    parameters: card.parameters,
    context_tokens: card.contextTokens,
  }
}
