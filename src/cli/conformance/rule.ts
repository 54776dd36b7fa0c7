import type { Need } from './options.ts'
import type { Scenes } from './scenes/scenes.ts'

/** `not seen`: what the rule is about did not come up, or the service tells too little to judge it. */
export type Outcome = 'passed' | 'failed' | 'not seen' | 'skipped'

/** What became of one rule. */
export interface Finding {
  outcome: Outcome
  /** What the service was asked, in a few words. */
  asked: string
  /** What it did; of `skipped`, why it was not asked. */
  seen: string
}

/** One rule of the interface, as it can be seen from outside. */
export interface Rule {
  /** As in docs/interface-rules.md. */
  id: string
  needs: Need
  /** @throws What kept it from being judged: no answer came. */
  judge(scenes: Scenes): Promise<Finding>
}

/** The service did what the rule asks. */
export const passed = (asked: string, seen: string) => toFinding('passed', asked, seen)
/** The service broke the rule. */
export const failed = (asked: string, seen: string) => toFinding('failed', asked, seen)
/** Nothing came up by which the rule could be judged. */
export const notSeen = (asked: string, seen: string) => toFinding('not seen', asked, seen)

/** Passed if nothing speaks against it; otherwise failed, with the first thing that does. */
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
