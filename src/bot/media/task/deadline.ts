import type { Logger } from 'pino'
import type { Clock } from '../../../platform/time/clock.ts'
import { errorFacts } from '../../telegram/error-facts.ts'
import type { MediaRules } from '../order/rules.ts'

/** Polls are many, and admins change the rule seldom. */
const READ_INTERVAL_MS = 30_000

/** Knows how long a task may take, as admins rule. A new rule counts half a minute later. */
export function createDeadline({
  rules,
  clock,
  log,
}: {
  rules: Pick<MediaRules, 'read'>
  clock: Pick<Clock, 'now'>
  log: Pick<Logger, 'warn'>
}) {
  let deadlineMs = Number.POSITIVE_INFINITY
  let readAt = Number.NEGATIVE_INFINITY
  return { isOver }

  /** Checks whether it is over for a task of that age. False as long as the rule is not known. */
  function isOver(ageMs: number): boolean {
    if (clock.now() - readAt >= READ_INTERVAL_MS) void read()
    return ageMs >= deadlineMs
  }

  async function read(): Promise<void> {
    readAt = clock.now()
    try {
      deadlineMs = (await rules.read()).deadlineMs
    } catch (error) {
      log.warn(errorFacts(error), 'the deadline of orders is not known, read again')
    }
  }
}

export type Deadline = ReturnType<typeof createDeadline>
