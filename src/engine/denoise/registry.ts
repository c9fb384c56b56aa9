import type { Attention } from '../model/spec.ts'
import type { Choose } from './belief.ts'
import { chooseByEntropy } from './entropy-bound.ts'
import { chooseByFactor } from './factor.ts'
import { chooseFixed } from './fixed.ts'
import { chooseLeftmost } from './sequential.ts'
import { chooseByThreshold } from './threshold.ts'
import { chooseRun } from './verified.ts'

export type Rule = {
  choose: Choose
  /** The attention forms that know how to follow this rule. */
  forms: readonly Attention[]
  /**
   * May draws of one forward that do not know one another stand side by side? Then equal neighbours wait a step.
   * Not `fixed`, which copies a published procedure, nor rules that show one draw a forward or confirm each.
   */
  guardsNeighbours: boolean
}

const BLOCKS: readonly Attention[] = ['bidirectional', 'block-causal']

const RULES: Record<string, Rule> = {
  threshold: { choose: chooseByThreshold, forms: [...BLOCKS, 'causal-context'], guardsNeighbours: true },
  sequential: { choose: chooseLeftmost, forms: [...BLOCKS, 'causal-context'], guardsNeighbours: false },
  verified: { choose: chooseRun, forms: ['causal-context'], guardsNeighbours: false },
  factor: { choose: chooseByFactor, forms: BLOCKS, guardsNeighbours: true },
  'entropy-bound': { choose: chooseByEntropy, forms: BLOCKS, guardsNeighbours: true },
  fixed: { choose: chooseFixed, forms: BLOCKS, guardsNeighbours: false },
}

/** The rule of that name for that form of attention, or undefined. */
export function findRule(name: string, form: Attention): Rule | undefined {
  const rule = Object.hasOwn(RULES, name) ? RULES[name] : undefined
  return rule?.forms.includes(form) === true ? rule : undefined
}

/** Names of the rules a form of attention can follow, for sentences to the user. */
export function rulesFor(form: Attention): string[] {
  return Object.keys(RULES).filter((name) => findRule(name, form) !== undefined)
}
