import { isDeepStrictEqual } from 'node:util'
import { retryUntilStored } from '../../platform/database/retry-until-stored.ts'
import type { App } from '../context.ts'
import { isCutShort, keptMessages, type ShownReply, type Turn, turnFacts } from './turn.ts'
import type { Turns } from './turns.ts'

/** Records the messages of a reply, and its text as far as it is seen: the row has everything that the chat may show. */
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

  /**
   * The message waits for this write: another process would not know it, and would send one beside it.
   *
   * @returns The question to reply to: in a group always, otherwise if another message would separate the two.
   */
  async sending(): Promise<number | undefined> {
    const { chatId, promptMessageId, attempt } = this.#turn
    const isSeparated = await this.#untilStored(() => this.#turns.recordSending(this.#turn))
    this.#recorded = { ...this.#recorded, mayHaveSent: true }
    const kept = this.#keptIds.at(-1)
    // In a group that became a supergroup, the prompt has lost its message.
    if (kept !== undefined || promptMessageId <= 0) return kept
    return chatId < 0 || attempt > 1 || isSeparated ? promptMessageId : undefined
  }

  /** If this write fails the chat is ahead of the database, until the next write. */
  async shown(own: ShownReply): Promise<void> {
    const shown = { ...own, messageIds: [...this.#keptIds, ...own.messageIds] }
    if (isCutShort(this.#turn)) {
      // The explanation is recorded with the turn's end: an open turn has not explained it.
      this.#unrecorded = shown
    } else if (this.#showsMore(shown)) {
      this.#unrecorded = shown
      await this.#store(shown).catch((error: unknown) => this.#logUnrecorded(error))
    } else if (!this.#isOver) {
      // The reply does not wait for its text.
      this.#written = this.#turns
        .recordText(this.#turn.id, shown.shownText)
        .catch((error: unknown) => this.#logUnrecorded(error))
    }
  }

  /** The row of a reply that is over has its text. */
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

  async #store(shown: ShownReply): Promise<void> {
    const { id } = this.#turn
    if (isCutShort(this.#turn)) await this.#turns.close(id, shown)
    else await this.#turns.recordShown(id, shown)
    this.#recorded = shown
    this.#unrecorded = undefined
  }

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
    this.#app.log.warn(turnFacts(this.#turn.id, error), 'reply not recorded')
  }
}
