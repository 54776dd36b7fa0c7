import type { WireLint } from '../../../web/api.ts'

/** The same fault of a bot, found once or many times. */
export interface LintGroup {
  key: string
  count: number
  /** The latest of them. */
  last: WireLint
}

/** Puts the same findings together; those found last come first. */
export function groupLints(lints: readonly WireLint[]): LintGroup[] {
  const groups = new Map<string, LintGroup>()
  for (const lint of lints) {
    const key = `${lint.rule} ${lint.text}`
    const count = (groups.get(key)?.count ?? 0) + 1
    groups.delete(key)
    groups.set(key, { key, count, last: lint })
  }
  return [...groups.values()].reverse()
}
