import { BotError } from 'grammy'
import type { Update } from 'grammy/types'
import type { Logger } from 'pino'
import { LeaseLostError } from '../../../platform/database/instance/instance.ts'
import { retryUntilStored } from '../../../platform/database/retry-until-stored.ts'
import { isDatabaseTrouble } from '../../../platform/database/trouble.ts'
import type { TroubleLog } from '../../../platform/fold-repeats.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { errorFacts } from '../error-facts.ts'
import { keepTrying } from '../keep-trying.ts'
import type { LeaseSource } from './lease-source.ts'
import type { JoinedUpdate, StoredParts } from './stored-parts.ts'
import type { LeasedUpdate, StoredUpdates } from './stored-updates.ts'
import { logSetAside, tryData } from './try-data.ts'

/** How much later a look finds what was just being stored when nothing was seen after an update, one look for all. */
const UNSEEN_MS = 500

/** Thrown by a handler that did not begin, because the bot is stopping: its update stays stored. */
export class NotHandledError extends Error {
  override readonly name = 'NotHandledError'
  readonly code = 'not_handled'

  constructor() {
    super('Cannot handle update: the bot is stopping')
  }
}

/** Facts of an update that only the inbox knows, and what its handler reports back. */
export interface UpdateFacts
  extends Pick<JoinedUpdate, 'isFirst' | 'isLate' | 'isBeside' | 'parts'> {
  /**
   * Its id, where the statement that begins its turn may record it, so that those after it may be looked at:
   * `begin-turn.ts`. Where it is missing a statement of the inbox does it.
   */
  updateId?: number | undefined
  /**
   * Lets those after it be recorded: it has a turn. If it is beside another one it waits for that turn once its
   * handler returns, and is handled again when it comes; without this it counts as handled.
   *
   * @param isFollowed What that statement saw, where it did so.
   */
  onRecorded: (isFollowed?: boolean) => void
}

/** The result of a handler once the conversation of its update may go on. */
export interface Released {
  settled?: Promise<void> | undefined
}

export interface LeasedHandlingDeps {
  stored: Pick<StoredUpdates, 'record' | 'release' | 'end'>
  storedParts: Pick<StoredParts, 'join'>
  source: Pick<LeaseSource, 'wake'>
  handle: (update: Update, facts: UpdateFacts) => Promise<Released>
  clock: Clock
  log: Logger
  troubles: Pick<TroubleLog, 'warn'>
  stopping: AbortSignal
  aborted: AbortSignal
}

/**
 * Takes a leased update to its end: joined with its parts, handled, recorded, its conversation released, handled to the
 * end. Each of these steps is stored, and repeated until it is.
 */
export function createLeasedHandling({
  stored,
  storedParts,
  source,
  handle,
  clock,
  log,
  troubles,
  stopping,
  aborted,
}: LeasedHandlingDeps) {
  /**
   * @param onBegun Called when it has its turn, or ends: the next one may begin.
   * @throws If the bot stops before the update is handled.
   */
  return async function handleLeased(leased: LeasedUpdate, onBegun: () => void): Promise<void> {
    const retryOptions = { clock, log: troubles, signal: stopping }
    const join = () => tryData(() => storedParts.join(leased), retryOptions)
    const { value: whole, refusal } = await keepTrying('join updates', join, retryOptions)
    stopping.throwIfAborted()
    if (whole === undefined) {
      logSetAside(log, leased.update.update_id, refusal)
      return store('record an update that is set aside', () => stored.end(leased))
    }
    const updateId = whole.update.update_id
    try {
      const isOver = await retryUntilStored(() => handleToEnd(whole, onBegun), {
        clock,
        signal: aborted,
        onTrouble: (error, delayMs) =>
          log.warn({ ...errorFacts(error), updateId, delayMs }, 'update not handled yet'),
      })
      if (!isOver) return
    } catch (error) {
      if (aborted.aborted || isNotHandled(error)) throw error
      log.error({ ...errorFacts(error), updateId }, 'update failed')
    }
    await store('record a handled update', () => stored.end(whole))
  }

  /** @returns False if it has to wait for its turn. */
  async function handleToEnd(whole: JoinedUpdate, onBegun: () => void): Promise<boolean> {
    const { update, next, ...facts } = whole
    const { isBeside } = facts
    const recordIt = () => store('record an update', () => stored.record(whole))
    let isRecorded = false
    try {
      const updateId = isBeside || next.length > 0 ? undefined : update.update_id
      const { settled } = await handle(update, { ...facts, updateId, onRecorded })
      if (isBeside && isRecorded) {
        await recordIt()
        // Its turn may have come meanwhile.
        source.wake()
        return false
      }
      if (settled === undefined) return true
      await store('let a conversation go on', () => stored.release(whole))
      await settled
      return true
    } catch (error) {
      throw reasonOf(error)
    }

    function onRecorded(isFollowed?: boolean): void {
      if (isRecorded) return
      isRecorded = true
      onBegun()
      if (isBeside) return
      // The answer does not wait for it. Stopping is what ends it early.
      if (isFollowed === undefined) recordIt().catch(() => {})
      else lookAfter(isFollowed)
    }
  }

  async function store(action: string, step: () => Promise<boolean>): Promise<void> {
    const retryOptions = { clock, log: troubles, signal: aborted }
    lookAfter(await keepTrying(action, step, retryOptions))
  }

  function lookAfter(isFollowed: boolean): void {
    source.wake(isFollowed ? 0 : UNSEEN_MS)
  }
}

/**
 * Checks whether a handler ended without an end of its update: the bot stops, another process goes on with it, or
 * the database is away and it is handled again.
 */
export function isNotHandled(error: unknown): boolean {
  const isOver = error instanceof NotHandledError || error instanceof LeaseLostError
  return isOver || isDatabaseTrouble(error)
}

function reasonOf(error: unknown): unknown {
  return error instanceof BotError ? error.error : error
}
