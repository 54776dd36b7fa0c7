import type { Logger } from 'pino'
import { type Clock, systemClock } from '../../platform/time/clock.ts'
import { EarlyLeavesError, RateLimitReachedError } from '../ledger/errors.ts'
import { acceptRequest } from '../ledger/rate-limit.ts'
import type { Sql } from '../ledger/sql.ts'

/** How many chats an account may leave early in ten minutes, unless SERVICE_CONFIG says otherwise. */
export const EARLY_LEAVES_MAX = 10
const WINDOW_MS = 10 * 60_000
/** When to try again while as many go on unseen: each ends within two minutes. */
const UNSEEN_RETRY_MS = 10_000

export type EarlyLeaves = ReturnType<typeof createEarlyLeaves>

/**
 * Bounds what an account can have upstreams do for nothing: chats that their clients leave, and of which nothing comes
 * soon enough to be charged.
 *
 * Invariant: of an account at most `leavesMax` such chats go on unseen at once in a process, and after one more than
 * `leavesMax` in ten minutes, counted by all processes, those refuse its chats that had a part in it. A process that
 * had none learns of it with the next one. So no chat asks the database for it.
 */
export function createEarlyLeaves({
  sql,
  leavesMax,
  onRefused,
  clock = systemClock,
  log,
}: {
  sql: Sql
  /** Returns the most in ten minutes; 0: as many as come. */
  leavesMax: () => number
  onRefused: (accountId: number) => void
  clock?: Pick<Clock, 'now'>
  log: Pick<Logger, 'warn' | 'error'>
}) {
  const unseen = new Map<number, number>()
  const refusedUntilMs = new Map<number, number>()
  const exempt = new Set<number>()
  return { check, beginUnseen, record, exempt: (accountId: number) => void exempt.add(accountId) }

  function check(accountId: number): void {
    if (isFree(accountId)) return
    const restMs = (refusedUntilMs.get(accountId) ?? 0) - clock.now()
    if (restMs <= 0) refusedUntilMs.delete(accountId)
    const isFull = (unseen.get(accountId) ?? 0) >= leavesMax()
    if (restMs <= 0 && !isFull) return
    onRefused(accountId)
    throw new EarlyLeavesError(Math.max(restMs, isFull ? UNSEEN_RETRY_MS : 0))
  }

  function beginUnseen(accountId: number): () => void {
    unseen.set(accountId, (unseen.get(accountId) ?? 0) + 1)
    return () => {
      const left = (unseen.get(accountId) ?? 0) - 1
      if (left > 0) unseen.set(accountId, left)
      else unseen.delete(accountId)
    }
  }

  async function record(accountId: number): Promise<void> {
    if (isFree(accountId)) return
    const limit = { route: 'chats/left', requestsMax: leavesMax(), windowMs: WINDOW_MS }
    try {
      await acceptRequest(sql, { accountId, limit })
    } catch (error) {
      if (error instanceof RateLimitReachedError) {
        refusedUntilMs.set(accountId, clock.now() + error.retryAfterMs)
        log.warn(
          { accountId },
          'chats of an account refused: it left too many before their answers',
        )
      } else log.error({ err: error, accountId }, 'chat that was left early not counted')
    }
  }

  function isFree(accountId: number): boolean {
    return leavesMax() === 0 || exempt.has(accountId)
  }
}
