import { isDeepStrictEqual } from 'node:util'
import { retryUntilStored } from '../../platform/database/retry-until-stored.ts'
import type { App } from '../context.ts'
import { errorFacts } from '../telegram/error-facts.ts'
import { Draft, type DraftOptions } from './draft.ts'
import { stopKeyboard } from './keyboards.ts'
import type { ShownTexts } from './shown-texts.ts'
import { isCutShort, isOpen, keptMessages, type ShownReply, type Turn } from './turn.ts'
import type { Turns } from './turns.ts'

export interface TurnDraftParts {
  app: App
  turns: Turns
  shownTexts: ShownTexts
}

/** The draft of a turn's reply: its row has at all times what its chat may show. */
export class TurnDraft extends Draft {
  readonly #record: ReplyRecord

  constructor(parts: TurnDraftParts, turn: Turn, signal: AbortSignal) {
    const record = new ReplyRecord(parts, turn, signal)
    super(parts.app, optionsOf(parts.app, turn, { record, signal }))
    this.#record = record
  }

  /** Finishes the draft, and records its last state until that is stored, since no later write would. */
  override async finish(...whole: Parameters<Draft['finish']>): Promise<void> {
    this.#record.end()
    await super.finish(...whole)
    await this.#record.storeLast()
  }

  override async rest(): Promise<void> {
    await super.rest()
    await this.#record.rest()
  }
}

function optionsOf(
  { texts }: App,
  turn: Turn,
  { record, signal }: { record: ReplyRecord; signal: AbortSignal },
): DraftOptions {
  const { chatId, threadId, format, maybeDoubleIds, languageCode } = turn
  return {
    chatId,
    threadId,
    format,
    messageIds: shownBefore(turn),
    maybeDoubleIds,
    mayHaveSent: mayShowAnswer(turn),
    keyboard: stopKeyboard(turn, texts),
    maybeDoubleNote: texts.t(languageCode, 'reply-maybe-double'),
    onSending: () => record.sending(),
    onShown: (shown) => record.shown(shown),
    signal,
  }
}

/** Records the messages of a reply, and its text as far as it is seen. */
class ReplyRecord {
  readonly #parts: TurnDraftParts
  readonly #turn: Turn
  readonly #signal: AbortSignal
  readonly #keptIds: number[]
  #isOver = false
  #recorded: ShownReply
  #unrecorded: ShownReply | undefined

  constructor(parts: TurnDraftParts, turn: Turn, signal: AbortSignal) {
    this.#parts = parts
    this.#turn = turn
    this.#signal = signal
    this.#keptIds = keptMessages(turn)
    this.#recorded = { ...turn, mayHaveSent: turn.sendingSince !== null }
  }

  /** An unknown message would stand beside the one that another process sends. So it waits. */
  async sending(): Promise<number | undefined> {
    const { turns } = this.#parts
    const isSeparated = await this.#untilStored(() => turns.recordSending(this.#turn))
    this.#recorded = { ...this.#recorded, mayHaveSent: true }
    return this.#keptIds.at(-1) ?? questionOf(this.#turn, isSeparated)
  }

  /** If this write fails the chat is ahead of the database; the next one brings the row up. */
  async shown(own: ShownReply): Promise<void> {
    const shown = { ...own, messageIds: [...this.#keptIds, ...own.messageIds] }
    if (isCutShort(this.#turn)) {
      // What explains it is recorded with the turn's end: a turn that has not ended has not explained it.
      this.#unrecorded = shown
      return
    }
    if (!this.#showsMore(shown)) {
      if (!this.#isOver) this.#parts.shownTexts.record(this.#turn.id, shown.shownText)
      return
    }
    this.#unrecorded = shown
    await this.#store(shown).catch((error: unknown) => this.#logUnrecorded(error))
  }

  end(): void {
    this.#isOver = true
    this.#parts.shownTexts.drop(this.#turn.id)
  }

  async storeLast(): Promise<void> {
    const last = this.#unrecorded
    if (last !== undefined) await this.#untilStored(() => this.#store(last))
  }

  rest(): Promise<void> {
    return this.#parts.shownTexts.write()
  }

  async #store(shown: ShownReply): Promise<void> {
    const { turns } = this.#parts
    const { id } = this.#turn
    if (isCutShort(this.#turn)) await turns.close(id, shown)
    else await turns.recordShown(id, shown)
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
    const { clock } = this.#parts.app
    return retryUntilStored(write, { clock, signal: this.#signal, onTrouble })
  }

  #logUnrecorded(error: unknown): void {
    const facts = { ...errorFacts(error), turnId: this.#turn.id.toString() }
    this.#parts.app.log.warn(facts, 'reply not recorded')
  }
}

function shownBefore(turn: Turn): readonly number[] {
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
  // In a group that became a supergroup, the prompt has no message any more that could be named.
  if (promptMessageId <= 0) return undefined
  return chatId < 0 || attempt > 1 || isSeparated ? promptMessageId : undefined
}

/**
 * Checks whether something of a reply may stand in the chat that is not recorded: where the service was not asked for
 * it, only words about a wait can have been sent.
 */
function mayShowAnswer(turn: Turn): boolean {
  return turn.sendingSince !== null && (!isOpen(turn) || turn.requests > 0)
}
