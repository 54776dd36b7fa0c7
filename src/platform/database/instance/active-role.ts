/**
 * The lease that says which process of the bot is active.
 *
 * Invariants:
 * - at most one living process leads: a unique index sees to it;
 * - a process is active once, from the moment at which it gets the lead until it hands it over or loses its lease.
 */
import type { Pool } from 'pg'
import type { TroubleLog } from '../../fold-repeats.ts'
import { systemClock } from '../../time/clock.ts'
import { settleWithin } from '../../time/graceful-stop.ts'
import type { Instance } from './instance.ts'

const ASK_INTERVAL_MS = 500
const HAND_OVER_MS_MAX = 2_000
/** After this time the heartbeats have shown all processes who leads. */
const KNOWN_AFTER_MS = 2_000
const UNIQUE_VIOLATION = '23505'

const LEAD = `
  UPDATE public.instance SET leads = true
  WHERE id = $1 AND NOT EXISTS (SELECT FROM public.instance WHERE leads AND id <> $1)
  RETURNING id`

const HAND_OVER = `
  UPDATE public.instance SET leads = false, hands_over = true WHERE id = $1 AND leads`

interface ActiveRoleDeps {
  pool: Pick<Pool, 'query'>
  instance: Pick<Instance, 'id' | 'lost' | 'others'>
  log: Pick<TroubleLog, 'warn'>
}

export class ActiveRole {
  readonly #deps: ActiveRoleDeps
  readonly #handingOver = new AbortController()
  /** Aborted when this process stops being active, or stops before it was. */
  readonly over: AbortSignal
  #isTaken = false
  #changedMs = Number.NEGATIVE_INFINITY
  #asking: Promise<unknown> = Promise.resolve()

  constructor(deps: ActiveRoleDeps) {
    this.#deps = deps
    this.over = AbortSignal.any([this.#handingOver.signal, deps.instance.lost])
  }

  isActive(): boolean {
    return this.#isTaken && !this.over.aborted
  }

  /** Returns the part of Telegram's overall pace that is this process's: 0.5 during a hand-over, else 1. */
  share(): number {
    const others = this.#deps.instance.others().filter(({ works }) => works.includes('bot'))
    const isChanging = systemClock.now() - this.#changedMs < KNOWN_AFTER_MS
    const isShared = others.some(({ leads, handsOver }) => isChanging || leads || handsOver)
    return isShared ? 0.5 : 1
  }

  async take(): Promise<boolean> {
    const asking = this.#ask()
    this.#asking = asking.catch(() => {})
    return await asking
  }

  async untilTaken(): Promise<void> {
    while (!(await this.take().catch(this.#report))) {
      await systemClock.sleep(ASK_INTERVAL_MS, this.over)
    }
  }

  /** Passes the role on: another process may take it at once, while this process finishes its work. Safe to repeat. */
  async handOver(): Promise<void> {
    this.#handingOver.abort(new Error('The process is no longer active'))
    this.#changedMs = systemClock.now()
    const { pool, instance } = this.#deps
    const handedOver = this.#asking.then(() => pool.query(HAND_OVER, [instance.id]))
    await settleWithin([handedOver.catch(this.#report)], HAND_OVER_MS_MAX)
  }

  async #ask(): Promise<boolean> {
    this.over.throwIfAborted()
    const { pool, instance } = this.#deps
    try {
      const { rowCount } = await pool.query(LEAD, [instance.id])
      if (rowCount !== 1) return false
      this.#isTaken = true
      this.#changedMs = systemClock.now()
      return true
    } catch (error) {
      // Another process has taken it at the same moment.
      if ((error as { code?: unknown }).code === UNIQUE_VIOLATION) return false
      throw error
    }
  }

  readonly #report = (error: unknown): false => {
    if (!this.over.aborted)
      this.#deps.log.warn({ err: error }, 'cannot ask which process is active')
    return false
  }
}
