import type { InlineKeyboardMarkup } from 'grammy/types'
import type { App } from '../context.ts'
import { isShown } from '../spend/cost-notes.ts'
import { isMessageOrigin } from '../telegram/addressing.ts'
import { isTelegramError } from '../telegram/errors.ts'
import type { MessageRef } from '../telegram/send.ts'
import { Draft } from './draft.ts'
import { toFinalText } from './final-text.ts'
import { endKeyboard } from './keyboards.ts'
import { decisionsFor, isCutShort, isOpen, keptMessages, type Turn, turnFacts } from './turn.ts'
import type { Turns } from './turns.ts'

/** Shows turns in their chats. Only the last answer of a thread has Again: the next question removes it. */
export class ShowTurn {
  readonly #app: App
  readonly #turns: Turns

  constructor(app: App, turns: Turns) {
    this.#app = app
    this.#turns = turns
  }

  openDraft(turn: Turn, signal: AbortSignal): Draft {
    return new Draft(this.#app, this.#turns, { turn, signal })
  }

  async show(turn: Turn, draft: Draft): Promise<void> {
    try {
      const messageId = keptMessages(turn).at(-1)
      // The bot cannot know the text that Telegram shows there: it stays.
      if (messageId !== undefined) {
        await this.#app.outbox.editKeyboard({ chatId: turn.chatId, messageId })
      }
      await this.#finish(turn, draft)
    } catch (error) {
      if (!isTelegramError(error, 'chat_unreachable')) throw error
      this.#log(turn.id, error, 'reply not wanted any more')
      await this.#turns.recordLeft(turn.id)
    }
  }

  /** Shows the rest of an answer that its chat had refused, as a closed topic does. Never throws. */
  async showLeft(before: Turn, signal: AbortSignal): Promise<void> {
    const { id, answer, endedAt, sendingSince, setAsideAt } = before
    const isOver = answer !== undefined && endedAt !== null && setAsideAt === null
    if (!isOver || sendingSince === null || isCutShort(before)) return
    try {
      const turn = await this.#turns.takeUp(id, { passesOthers: true })
      if (turn === undefined || turn === 'busy') return
      await this.#turns.recordShown(id, { ...turn, mayHaveSent: false })
      await this.show(turn, this.openDraft({ ...turn, sendingSince: null }, signal))
      await this.#turns.close(id)
    } catch (error) {
      this.#log(id, error, 'rest of a reply not shown')
    }
  }

  async #finish(turn: Turn, draft: Draft): Promise<void> {
    const { texts, spend } = this.#app
    const from = keptMessages(turn).length === 0 ? 0 : (turn.answer ?? turn.shownText).length
    const reply = { ...toFinalText(turn, { texts, limitTexts: spend.limitTexts }), from }
    await draft.finish(reply, await this.#below(turn))
  }

  /** Shows the cost of a stopped answer below it, unless another message came after it. Never throws. */
  async showCost(id: bigint, draftOf: (turn: Turn) => Draft): Promise<void> {
    try {
      const turn = await this.#turns.read(id)
      const isPaid = turn?.charge !== undefined && turn.charge.amountMicroRub > 0n
      if (!isPaid || turn.setAsideAt !== null || !(await this.#turns.isLast(turn))) return
      await this.#finish(turn, draftOf(turn))
    } catch (error) {
      this.#log(id, error, 'cost of a stopped reply not shown')
    }
  }

  /** Never throws. */
  async tidy(turnId: bigint, message: MessageRef): Promise<void> {
    const { outbox } = this.#app
    try {
      const turn = await this.#turns.read(turnId)
      if (turn?.chatId !== message.chatId) return void (await outbox.editKeyboard(message))
      // A running reply brings its own buttons, and so does an attempt that writes into this message.
      if (isOpen(turn) || turn.endedAt === null) return
      const next = await this.#turns.find({ replacesId: turnId })
      if (next?.messageIds.includes(message.messageId)) return
      const isLast = turn.messageIds.at(-1) === message.messageId
      await outbox.editKeyboard(message, isLast ? await this.#below(turn) : undefined)
    } catch (error) {
      this.#log(turnId, error, 'buttons not changed')
    }
  }

  /** Waits until the chat has room: a button that is still there explains itself when pressed. Never throws. */
  async tidyBefore(turn: Turn, before: Turn | undefined): Promise<void> {
    try {
      const messageId = before?.messageIds.at(-1)
      if (before === undefined || messageId === undefined) return
      const isReplaced = before.id === turn.replacesId
      // A press tidies by itself.
      if (isReplaced && !isMessageOrigin(turn.originKey)) return
      const wasLast = before.endedAt !== null && before.endedAt <= turn.createdAt
      if (!(before.state === 'finished' ? wasLast : isReplaced)) return
      const rest = await this.#below({ ...before, isLast: false })
      await this.#app.outbox.editKeyboardWhenFree({ chatId: before.chatId, messageId }, rest)
    } catch (error) {
      this.#log(turn.id, error, 'buttons not changed')
    }
  }

  /** Never throws: an answer is shown even if it is not known what to offer below it. */
  async #below(turn: Turn): Promise<InlineKeyboardMarkup | undefined> {
    const { models, texts, spend } = this.#app
    const { model, usage, charge } = turn
    let offers: Parameters<typeof endKeyboard>[1] = { isLast: false, isCostShown: false }
    try {
      const mayRepeat = decisionsFor(turn).includes('again')
      const isLast = mayRepeat && (turn.isLast ?? (await this.#turns.isLast(turn)))
      const note = await spend.costNotes.ofTurn(turn)
      const isCostShown = charge !== undefined && isShown(charge.amountMicroRub, note)
      // Assumes that the next answer is as long.
      const againMicroRub = usage && models.price(model, usage)
      offers = { isLast, isCostShown, againMicroRub }
    } catch (error) {
      this.#log(turn.id, error, 'nothing offered')
    }
    return endKeyboard(turn, offers, { texts, limitTexts: spend.limitTexts })
  }

  #log(turnId: bigint, error: unknown, message: string): void {
    this.#app.log.info(turnFacts(turnId, error), message)
  }
}
