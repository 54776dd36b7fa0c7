import type { WireLint } from '../../../web/api.ts'

/** The same fault of a bot, found once or many times. */
export interface LintGroup {
  rule: WireLint['rule']
  count: number
  /** The latest of them. */
  last: WireLint
}

/** Puts the same findings together; those found last come first. */
export function groupLints(lints: readonly WireLint[]): LintGroup[] {
  const groups = new Map<WireLint['rule'], LintGroup>()
  for (const lint of lints) {
    const { rule } = lint
    const count = (groups.get(rule)?.count ?? 0) + 1
    groups.delete(rule)
    groups.set(rule, { rule, count, last: lint })
  }
  return [...groups.values()].reverse()
}
