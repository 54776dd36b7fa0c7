import { BotError } from 'grammy'
import type { Message, Update } from 'grammy/types'
import type { Logger } from 'pino'
import { type Instance, LeaseLostError } from '../../platform/database/instance/instance.ts'
import { retryUntilStored } from '../../platform/database/retry-until-stored.ts'
import { isDatabaseTrouble } from '../../platform/database/trouble.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { threadOf } from './addressing.ts'
import { errorFacts } from './errors.ts'
import {
  joinParts,
  mayBePart,
  type PromptPart,
  replaceMessages,
  toThreadKey,
  type UpdateWithParts,
} from './joined.ts'
import type { StoredUpdate, UpdateStore } from './update-store.ts'

const TRIES_MAX = 3
const TRY_AGAIN_MS = 250

export interface UpdateFacts {
  updateId: number
  /** True if it was sent so long ago that its user may have stopped waiting. */
  isLate: boolean
  /** The messages of the prompt; empty if it is one message. */
  parts: readonly Message[]
  /** True if no handler had the update before. */
  isFirst?: boolean
}

/** Thrown by a handler that did not begin, because the bot is stopping: its update stays stored. */
export class NotHandledError extends Error {
  override readonly name = 'NotHandledError'
  readonly code = 'not_handled'

  constructor() {
    super('Cannot handle update: the bot is stopping')
  }
}

/** Checks whether an update stays stored: the bot stops, another process is active, or the database is away. */
export function isNotHandled(error: unknown): boolean {
  const isOver = error instanceof NotHandledError || error instanceof LeaseLostError
  return isOver || isDatabaseTrouble(error)
}

export interface JoinedUpdates {
  parts: readonly PromptPart[]
  ids: number[]
}

interface HandlingDeps {
  store: UpdateStore
  instance: Pick<Instance, 'leased'>
  handle: (update: Update) => Promise<void>
  onSetAside: (update: Update) => Promise<void>
  clock: Clock
  log: Logger
  stopping: AbortSignal
  aborted: AbortSignal
}

/** Calls the handler of an update until it succeeds, or has failed three times. */
export class UpdateHandling {
  readonly #deps: HandlingDeps
  readonly #facts = new WeakMap<Update, UpdateFacts>()

  constructor(deps: HandlingDeps) {
    this.#deps = deps
  }

  /** @throws {TypeError} If no handler has the update. */
  factsOf(update: Update): UpdateFacts {
    const facts = this.#facts.get(update)
    if (facts === undefined) throw new TypeError('Cannot handle update: the inbox does not know it')
    return facts
  }

  /**
   * Resolves when the update is handled and marked; waits while the database is away.
   *
   * @throws If the bot stops before that, an error of `isNotHandled()`.
   */
  async handle(stored: StoredUpdate, prompt: JoinedUpdates): Promise<void> {
    const { store, clock, log, stopping, aborted } = this.#deps
    const updateId = stored.update.update_id
    const { isLate } = stored
    let { isFirst } = stored
    const onTrouble = (error: unknown, delayMs: number) =>
      log.warn({ ...errorFacts(error), updateId, delayMs }, 'update not handled yet')
    const options = { clock, signal: aborted, onTrouble }
    const handle = () => {
      const facts = { updateId, isLate, isFirst }
      isFirst = false
      return this.#handleOnce(stored.update, prompt, facts)
    }
    for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
      try {
        await retryUntilStored(handle, options)
        break
      } catch (error) {
        aborted.throwIfAborted()
        if (isNotHandled(error)) throw error
        log.error({ ...errorFacts(error), updateId, tries }, 'update failed')
        if (tries === TRIES_MAX) await this.setAside(stored.update, error)
        else await clock.sleep(TRY_AGAIN_MS, stopping)
      }
    }
    await retryUntilStored(() => store.end(updateId), options)
  }

  /** Gives up an update so that later updates can continue. Never rejects. */
  async setAside(update: Update, error: unknown): Promise<void> {
    const { log, onSetAside } = this.#deps
    const updateId = update.update_id
    log.error({ ...errorFacts(error), updateId }, 'update set aside')
    await onSetAside(update).catch((failure: unknown) => {
      log.warn({ ...errorFacts(failure), updateId }, 'user not told that an update is set aside')
    })
  }

  async #handleOnce(
    { parts: _, ...update }: UpdateWithParts,
    prompt: JoinedUpdates,
    facts: Omit<UpdateFacts, 'parts'>,
  ): Promise<void> {
    const parts = await this.#partsOf(update, prompt)
    const joined = joinParts(parts)
    const { edited_message: edited } = update
    if (joined !== undefined) {
      if (edited === undefined) update.message = joined
      else update.edited_message = { ...joined, edit_date: edited.edit_date }
    }
    const messages = parts.length > 1 ? parts.map(({ message }) => message) : []
    this.#facts.set(update, { ...facts, parts: messages })
    await this.#deps.instance.leased()
    await this.#deps.handle(update).catch((error) => {
      throw error instanceof BotError ? error.error : error
    })
  }

  /** An edit needs the other messages of its prompt, which Telegram does not send. */
  async #partsOf(update: Update, { parts, ids }: JoinedUpdates): Promise<readonly PromptPart[]> {
    const { store } = this.#deps
    const { edited_message: edited } = update
    const [, ...others] = ids
    if (others.length > 0) await store.join({ update: { ...update, parts }, others })
    if (!mayBePart(edited)) return parts
    const found = await store.findParts(toThreadKey(threadOf(edited)), edited.message_id)
    if (found === undefined) return []
    const changed = replaceMessages(found.parts, [edited])
    await store.changeParts({ ...found, parts: changed })
    return changed
  }
}
