import { isDeepStrictEqual } from 'node:util'
import { retryUntilStored } from '../../platform/database/retry-until-stored.ts'
import type { App } from '../context.ts'
import { errorFacts } from '../telegram/error-facts.ts'
import { isCutShort, isOpen, keptMessages, type ShownReply, type Turn } from './turn.ts'
import type { Turns } from './turns.ts'

/** Records the messages of a reply, and its text as far as it is seen: the row has what the chat may show. */
export class ReplyRecord {
  readonly #app: App
  readonly #turns: Turns
  readonly #turn: Turn
  readonly #signal: AbortSignal
  readonly #keptIds: number[]
  #isOver = false
  #written: Promise<void> = Promise.resolve()
  #recorded: ShownReply
  #unrecorded: ShownReply | undefined

  constructor(app: App, turns: Turns, { turn, signal }: { turn: Turn; signal: AbortSignal }) {
    this.#app = app
    this.#turns = turns
    this.#turn = turn
    this.#signal = signal
    this.#keptIds = keptMessages(turn)
    this.#recorded = { ...turn, mayHaveSent: turn.sendingSince !== null }
  }

  /** An unknown message would stand beside the one that another process sends. So it waits. */
  async sending(): Promise<number | undefined> {
    const isSeparated = await this.#untilStored(() => this.#turns.recordSending(this.#turn))
    this.#recorded = { ...this.#recorded, mayHaveSent: true }
    return this.#keptIds.at(-1) ?? questionOf(this.#turn, isSeparated)
  }

  /** If this write fails the chat is ahead of the database; the next one brings the row up. */
  async shown(own: ShownReply): Promise<void> {
    const shown = { ...own, messageIds: [...this.#keptIds, ...own.messageIds] }
    if (isCutShort(this.#turn)) {
      // The explanation is recorded with the turn's end: an open turn has not explained it.
      this.#unrecorded = shown
      return
    }
    if (!this.#showsMore(shown)) {
      if (!this.#isOver) this.#recordText(shown.shownText)
      return
    }
    this.#unrecorded = shown
    await this.#store(shown).catch((error: unknown) => this.#logUnrecorded(error))
  }

  end(): void {
    this.#isOver = true
  }

  async storeLast(): Promise<void> {
    const last = this.#unrecorded
    if (last !== undefined) await this.#untilStored(() => this.#store(last))
  }

  rest(): Promise<void> {
    return this.#written
  }

  /** The reply does not wait for it: the next write brings the row up. */
  #recordText(text: string): void {
    this.#written = this.#turns
      .recordText(this.#turn.id, text)
      .catch((error: unknown) => this.#logUnrecorded(error))
  }

  async #store(shown: ShownReply): Promise<void> {
    const { id } = this.#turn
    if (isCutShort(this.#turn)) await this.#turns.close(id, shown)
    else await this.#turns.recordShown(id, shown)
    this.#recorded = shown
    this.#unrecorded = undefined
  }

  /** The row of a reply that is over has its text. */
  #showsMore(shown: ShownReply): boolean {
    const { shownText, mayHaveSent, messageIds, maybeDoubleIds } = this.#recorded
    const isBeginning = shownText === '' && !this.#isOver
    const isSame =
      shown.mayHaveSent === mayHaveSent &&
      isDeepStrictEqual(shown.messageIds, messageIds) &&
      isDeepStrictEqual(shown.maybeDoubleIds, maybeDoubleIds)
    return isBeginning || !isSame
  }

  #untilStored<T>(write: () => Promise<T>): Promise<T> {
    const onTrouble = (error: unknown) => this.#logUnrecorded(error)
    const { clock } = this.#app
    return retryUntilStored(write, { clock, signal: this.#signal, onTrouble })
  }

  #logUnrecorded(error: unknown): void {
    const facts = { ...errorFacts(error), turnId: this.#turn.id.toString() }
    this.#app.log.warn(facts, 'reply not recorded')
  }
}

/** Returns the messages in which a reply goes on. */
export function shownBefore(turn: Turn): readonly number[] {
  // The sending that was recorded was of its first words, in the message that shows the wait, or maybe them.
  const isHidden = isOpen(turn) && turn.shownText === '' && mayShowAnswer(turn)
  return isCutShort(turn) || isHidden ? [] : turn.messageIds
}

/**
 * Returns the message that a reply names as its question: in a group always, elsewhere if they would not stand next
 * to each other.
 */
function questionOf(
  { chatId, promptMessageId, attempt }: Turn,
  isSeparated: boolean,
): number | undefined {
  // In a group that became a supergroup, the prompt has lost its message.
  if (promptMessageId <= 0) return undefined
  return chatId < 0 || attempt > 1 || isSeparated ? promptMessageId : undefined
}

/**
 * Checks whether something of a reply may stand in the chat that is not recorded: where the service was not asked for
 * it, only words about a wait can have been sent.
 */
export function mayShowAnswer(turn: Turn): boolean {
  return turn.sendingSince !== null && (!isOpen(turn) || turn.requests > 0)
}
