import type { TextVariables } from '../locales/texts.ts'

/** A wait is told in steps of so long, and from a minute on in minutes. */
const STEP_MS = 10_000
const MINUTE_MS = 60_000

/** About how long a wait is, in words. */
export function waitText(
  waitMs: number,
  t: (key: string, variables: TextVariables) => string,
): string {
  const roundedMs = Math.max(Math.ceil(waitMs / STEP_MS), 1) * STEP_MS
  if (roundedMs < MINUTE_MS) return t('wait-seconds', { count: roundedMs / 1000 })
  return t('wait-minutes', { count: Math.max(Math.round(waitMs / MINUTE_MS), 1) })
}
