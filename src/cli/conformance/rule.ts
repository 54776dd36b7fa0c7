import type { Need } from './options.ts'
import type { Scenes } from './scenes/scenes.ts'

/** `not seen` means that the case of the rule did not come up, or that the service shows too little to judge it. */
export type Outcome = 'passed' | 'failed' | 'not seen'

/** The outcome of one rule. */
export interface Finding {
  outcome: Outcome
  /** The request to the service, in a few words. */
  asked: string
  /** The service's answer; of a rule that was not seen, why. */
  seen: string
}

/** One rule of the interface, as it can be seen from outside. */
export interface Rule {
  /** Its name, by which the table of sentences and reports know it. */
  id: string
  needs: Need
  /** True if it is judged when all others have been, over all answers. */
  isOverAll?: true
  /** @throws {NoAnswerError} If no answer came by which it could be judged. */
  judge(scenes: Scenes): Promise<Finding>
}

/** The service did what the rule asks. */
export const passed = (asked: string, seen: string) => toFinding('passed', asked, seen)
/** The service broke the rule. */
export const failed = (asked: string, seen: string) => toFinding('failed', asked, seen)
/** Nothing came up by which the rule could be judged. */
export const notSeen = (asked: string, seen: string) => toFinding('not seen', asked, seen)

/** Passes a rule that has no problem; otherwise fails it with the first one. */
export function judgeProblems(
  asked: string,
  problems: readonly (string | undefined)[],
  seen: string,
): Finding {
  const problem = problems.find((each) => each !== undefined)
  return problem === undefined ? passed(asked, seen) : failed(asked, problem)
}

function toFinding(outcome: Outcome, asked: string, seen: string): Finding {
  return { outcome, asked, seen }
}
