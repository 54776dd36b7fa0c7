import type { InlineKeyboardMarkup } from 'grammy/types'
import { estimateTokens } from '../../contract/token-estimate.ts'
import type { App } from '../context.ts'
import { isShown } from '../spend/cost-notes.ts'
import { ChatUnreachableError } from '../telegram/errors.ts'
import { isMessageOrigin } from '../telegram/origin-key.ts'
import type { MessageRef } from '../telegram/send.ts'
import { Draft } from './draft.ts'
import { toFinalText } from './final-text.ts'
import {
  type AgainOffer,
  type EndOffers,
  endKeyboard,
  pickKeyboard,
  type RowStep,
} from './keyboards.ts'
import type { TurnRequests } from './request.ts'
import {
  type Actor,
  decisionsFor,
  isCutShort,
  isOpen,
  keptMessages,
  mayDecide,
  type Turn,
  turnFacts,
} from './turn.ts'
import type { Turns } from './turns.ts'

/** More models do not fit the screen of a phone. */
const OTHERS_MAX = 6
const NO_OFFERS: EndOffers = { again: [], isCostShown: false }

/** A model, and about what a request costs with it. */
interface PricedModel {
  id: string
  costMicroRub: bigint
}

/**
 * Shows turns in their chats: a draft while one runs, in the end its final text and its buttons.
 *
 * The row by which an answer is given again stands below the last answer of its thread alone. It comes with the last edit
 * of the answer, and the next question takes it away.
 */
export class ShowTurn {
  readonly #app: App
  readonly #turns: Turns
  readonly #requests: TurnRequests

  constructor(app: App, parts: { turns: Turns; requests: TurnRequests }) {
    this.#app = app
    this.#turns = parts.turns
    this.#requests = parts.requests
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
      if (!(error instanceof ChatUnreachableError)) throw error
      this.#log(turn.id, error, 'reply not wanted any more')
      await this.#turns.recordLeft(turn.id)
    }
  }

  async #finish(turn: Turn, draft: Draft): Promise<void> {
    const { texts, spend } = this.#app
    const from = keptMessages(turn).length === 0 ? 0 : (turn.answer ?? turn.shownText).length
    const reply = { ...toFinalText(turn, { texts, limitTexts: spend.limitTexts }), from }
    await draft.finish(reply, await this.#below(turn))
  }

  /** Shows the rest of answers that their chat had refused, as a closed topic does, once it is used again. Never throws. */
  async showLeft(before: readonly Turn[], signal: AbortSignal): Promise<void> {
    for (const left of before.filter(isLeft).toReversed()) {
      try {
        const turn = await this.#turns.takeUp(left.id, { passesOthers: true })
        if (turn === undefined || turn === 'busy') continue
        await this.#turns.recordShown(turn.id, { ...turn, mayHaveSent: false })
        await this.show(turn, this.openDraft({ ...turn, sendingSince: null }, signal))
        await this.#turns.close(turn.id)
      } catch (error) {
        this.#log(left.id, error, 'rest of a reply not shown')
      }
    }
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

  /** Makes the keyboard of the row's second step. */
  async picksOf(
    { turnId, chatId, step }: { turnId: bigint; chatId: number; step: RowStep },
    actor: Actor,
  ): Promise<InlineKeyboardMarkup | 'not_yours' | 'gone'> {
    const turn = await this.#turns.read(turnId)
    if (turn === undefined || turn.chatId !== chatId) return 'gone'
    if (!mayDecide(turn, actor)) return 'not_yours'
    const { again } = await this.#readOffers(turn)
    return pickKeyboard(turn, { again, step }, this.#app.texts) ?? 'gone'
  }

  /** Brings the buttons of a message that was pressed up to date. Never throws. */
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

  /**
   * Removes the row from the answer before a turn once its chat has room: a button that is still there explains itself
   * when it is pressed. Never throws.
   */
  async tidyBefore(turn: Turn, before: Turn | undefined): Promise<void> {
    try {
      const messageId = before?.messageIds.at(-1)
      if (before === undefined || messageId === undefined) return
      const isReplaced = before.id === turn.replacesId
      // A press tidies by itself.
      if (isReplaced && !isMessageOrigin(turn.originKey)) return
      // As it was offered: an answer that comes fast has replaced it by now.
      const { costNote } = before.userId === turn.userId ? turn : before
      const offers = await this.#readOffers({ ...before, isLast: true, setAsideAt: null, costNote })
      const wasLast = before.endedAt !== null && before.endedAt <= turn.createdAt
      const isDue = before.state === 'finished' ? offers.again.length > 0 && wasLast : isReplaced
      if (!isDue) return
      const rest = this.#keyboardOf(before, { ...offers, again: [] })
      await this.#app.outbox.editKeyboardWhenFree({ chatId: before.chatId, messageId }, rest)
    } catch (error) {
      this.#log(turn.id, error, 'buttons not changed')
    }
  }

  async #below(turn: Turn): Promise<InlineKeyboardMarkup | undefined> {
    return this.#keyboardOf(turn, await this.#readOffers(turn))
  }

  #keyboardOf(turn: Turn, offers: EndOffers): InlineKeyboardMarkup | undefined {
    const { texts, spend } = this.#app
    return endKeyboard(turn, offers, { texts, limitTexts: spend.limitTexts })
  }

  /** Never throws: an answer is shown even if its offers are not known. */
  async #readOffers(turn: Turn): Promise<EndOffers> {
    const { charge } = turn
    try {
      const [again, isCostShown] = await Promise.all([
        this.#readAgain(turn),
        charge !== undefined &&
          this.#app.spend.costNotes
            .ofTurn(turn)
            .then((note) => isShown(charge.amountMicroRub, note)),
      ])
      return { again, isCostShown }
    } catch (error) {
      this.#log(turn.id, error, 'nothing offered')
      return NO_OFFERS
    }
  }

  /**
   * Returns the models with which an answer may be given again: its own, while the service has it, then others. Only the
   * last answer of a thread is given again: the messages after an older one rest on it.
   *
   * The same request goes out, so that its tokens are known, and the next answer is taken to be as long.
   */
  async #readAgain(turn: Turn): Promise<AgainOffer[]> {
    if (!decisionsFor(turn).includes('again')) return []
    if (!(turn.isLast ?? (await this.#turns.isLast(turn)))) return []
    const { models, settings } = this.#app
    const known = models.known()
    const isFailed = turn.state === 'failed'
    // No model of a misconfigured service answers.
    if (isFailed && turn.errorCode !== 'model_misconfigured') return []
    if (known.length === 0) return isFailed ? [] : [{ model: turn.model, isSame: true }]
    const tokens = turn.usage ?? {
      promptTokens: await this.#requests.estimatePrompt(turn),
      completionTokens: estimateTokens(turn.answer ?? ''),
    }
    const fitting = known
      .filter(
        ({ contextTokens = Number.POSITIVE_INFINITY }) =>
          tokens.promptTokens + settings.maxTokens <= contextTokens,
      )
      .map(({ id }) => ({ id, costMicroRub: models.price(id, tokens) }))
    const priced = fitting.filter(({ costMicroRub }) => costMicroRub > 0n)
    const hasOther = priced.some(({ id }) => id !== turn.model)
    // Models without a price, free or unknown, are offered if no model has one, or as the only way on from a failure.
    const isPriceless = priced.length === 0 || (isFailed && !hasOther)
    const others = nearestInPrice(turn.model, isPriceless ? fitting : priced)
    const isListed = !isFailed && known.some(({ id }) => id === turn.model)
    const own = priced.find(({ id }) => id === turn.model) ?? { id: turn.model, costMicroRub: 0n }
    return [...(isListed ? [toOffer(own, true)] : []), ...others.map((one) => toOffer(one, false))]
  }

  #log(turnId: bigint, error: unknown, message: string): void {
    this.#app.log.info(turnFacts(turnId, error), message)
  }
}

/** Returns the other models whose prices are the nearest, the cheapest first: no choice is an unpleasant surprise. */
function nearestInPrice(model: string, priced: readonly PricedModel[]): readonly PricedModel[] {
  const byPrice = priced.toSorted((one, other) => Number(one.costMicroRub - other.costMicroRub))
  const own = byPrice.findIndex(({ id }) => id === model)
  const from = Math.min(own - OTHERS_MAX / 2, byPrice.length - OTHERS_MAX - 1)
  const window = byPrice.slice(Math.max(from, 0))
  return window.filter(({ id }) => id !== model).slice(0, OTHERS_MAX)
}

function toOffer({ id, costMicroRub }: PricedModel, isSame: boolean): AgainOffer {
  return { model: id, isSame, ...(costMicroRub > 0n && { costMicroRub }) }
}

/** Checks whether an answer ended without being shown whole: its chat took no more of it. */
function isLeft(turn: Turn): boolean {
  const { answer, endedAt, sendingSince, setAsideAt } = turn
  const isOver = answer !== undefined && endedAt !== null && setAsideAt === null
  return isOver && sendingSince !== null && !isCutShort(turn)
}
