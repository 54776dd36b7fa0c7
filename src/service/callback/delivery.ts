import type { FastifyBaseLogger } from 'fastify'
import { type PostFailure, type PostTimeouts, post } from './post.ts'
import { ATTEMPT_DELAYS_MS, ATTEMPTS_MAX, nextStep } from './schedule.ts'
import { signCallback } from './signature.ts'
import type { AttemptOutcome, PendingCallback, StoredCallbacks } from './stored-callbacks.ts'
import type { CallbackTarget, RefusedUrl } from './url-guard.ts'

export interface DeliveryDeps {
  stored: Pick<StoredCallbacks, 'read' | 'beginAttempt' | 'endAttempt' | 'giveUp'>
  findTarget: (url: string) => Promise<CallbackTarget | RefusedUrl>
  timeouts: PostTimeouts
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
  now: () => Date
  /** Told what an attempt came to: `delivered`, `refused` by the receiver's status, or why there was none. */
  onAttempt: (outcome: string) => void
}

/** What an attempt came to, in a word for the log and for its row. */
type Outcome = { status: number } | { failure: PostFailure | RefusedUrl['refusal'] }

/** Makes the attempts of one callback, each when it is due. Whatever comes of them, the task stays as it is. */
export function createDelivery(deps: DeliveryDeps) {
  const { stored, findTarget, timeouts, log, now, onAttempt } = deps
  return { deliver }

  /**
   * Makes the attempt of a leased callback that is due, if one is.
   *
   * @returns In how many milliseconds the next one is; undefined if there is none, or the lease is lost.
   */
  async function deliver(taskId: number, signal: AbortSignal): Promise<number | undefined> {
    const lookedAt = performance.now()
    const callback = await stored.read(taskId)
    if (callback === undefined) return undefined
    const step = nextStep(callback)
    switch (step.do) {
      case 'wait':
        return step.delayMs
      case 'give up':
        await stored.giveUp(taskId)
        log.warn({ taskId }, 'callback given up: its last attempt broke off')
        return undefined
      case 'attempt':
        break
    }
    const { number } = step
    if (!(await stored.beginAttempt(taskId, number))) return undefined
    const outcome = await attempt(callback, signal)
    const isDelivered = await endAttempt(taskId, number, outcome)
    const nextMs = ATTEMPT_DELAYS_MS[number]
    if (isDelivered || nextMs === undefined) return undefined
    const sinceEndMs = callback.sinceEndMs + (performance.now() - lookedAt)
    return Math.max(0, nextMs - sinceEndMs)
  }

  async function attempt(
    { url, secret, body }: PendingCallback,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const target = await findTarget(url)
    if ('refusal' in target) return { failure: target.refusal }
    const timestamp = Math.floor(now().getTime() / 1000)
    const headers = {
      'content-type': 'application/json',
      ...signCallback({ secret, timestamp, body }),
    }
    return await post(target, { headers, body }, timeouts, signal)
  }

  async function endAttempt(
    taskId: number,
    number: number,
    outcome: AttemptOutcome,
  ): Promise<boolean> {
    const isDelivered = await stored.endAttempt(taskId, number, outcome)
    onAttempt(isDelivered ? 'delivered' : 'failure' in outcome ? outcome.failure : 'refused')
    const facts = { taskId, attempt: number, ...outcome }
    if (isDelivered) log.info(facts, 'callback delivered')
    else if (number < ATTEMPTS_MAX) log.warn(facts, 'callback not delivered, tried again')
    else log.warn(facts, 'callback not delivered, given up')
    return isDelivered
  }
}
