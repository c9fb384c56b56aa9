/** The engine's loop over toy forwards. */
import type { Decoding } from '../../src/engine/messages.ts'
import type { ModelSpec } from '../../src/engine/model/spec.ts'
import { openRoom, type Room, type TextStream } from '../../src/engine/room.ts'
import type { Limits } from '../../src/engine/scheduler.ts'
import { LocalEngine } from './local-engine.ts'
import { ToyForward, type ToyOptions } from './toy-forward.ts'

export type ToyModel = { id: string; spec: ModelSpec; decoding: Decoding; toy?: ToyOptions }

export function openToyEngine(models: readonly ToyModel[], limits: Partial<Limits> = {}): LocalEngine {
  return new LocalEngine(new Map(models.map((model) => [model.id, openToyRoom(model)])), limits)
}

function openToyRoom({ id, spec, decoding, toy }: ToyModel): Room {
  const forward = new ToyForward(spec, toy)
  return openRoom({ id, spec, decoding, forward, openText: openToyText, tokenText: toyLetter })
}

/** Tokens as letters: 4 is "e", and so on. Stop strings as the real stream knows them, held back not at all. */
function openToyText(stop: readonly string[]): TextStream {
  let all = ''
  let stopped = false
  return {
    push(tokens) {
      if (stopped) return ''
      const before = all.length
      all += tokens.map(toyLetter).join('')
      const ends = stop.map((word) => all.indexOf(word)).filter((at) => at >= before)
      if (ends.length > 0) {
        stopped = true
        all = all.slice(0, Math.min(...ends))
      }
      return all.slice(before)
    },
    finish: () => '',
    get stopped() {
      return stopped
    },
    get tokens() {
      return all.length
    },
  }
}

function toyLetter(token: number): string {
  return String.fromCharCode(97 + token)
}
