import type { InlineKeyboardMarkup } from 'grammy/types'
import { estimateTokens } from '../../contract/token-estimate.ts'
import type { App } from '../context.ts'
import { isShown } from '../spend/cost-notes.ts'
import { errorFacts } from '../telegram/error-facts.ts'
import { isMessageOrigin } from '../telegram/origin-key.ts'
import type { MessageRef } from '../telegram/send.ts'
import {
  type AgainOffer,
  decisionsFor,
  type EndOffers,
  endKeyboard,
  pickKeyboard,
  type RowStep,
} from './keyboards.ts'
import type { TurnRequests } from './request.ts'
import { type Actor, isOpen, mayDecide, type Turn } from './turn.ts'
import type { Turns } from './turns.ts'

/** More models do not fit the screen of a phone. */
const OTHERS_MAX = 6

/** A model, and about what a request costs with it. */
interface PricedModel {
  id: string
  costMicroRub: bigint
}

interface RowPress {
  turnId: bigint
  chatId: number
  step: RowStep
  actor: Actor
}

/**
 * Keeps the buttons below turns that ended: the row by which an answer is given again stands below the last answer of
 * its thread alone. It comes with the last edit of the answer, and the next question takes it away.
 */
export class AnswerRow {
  readonly #app: App
  readonly #turns: Turns
  readonly #requests: TurnRequests

  constructor(app: App, parts: { turns: Turns; requests: TurnRequests }) {
    this.#app = app
    this.#turns = parts.turns
    this.#requests = parts.requests
  }

  async below(turn: Turn): Promise<InlineKeyboardMarkup | undefined> {
    return this.#keyboardOf(turn, await this.#readOffers(turn))
  }

  async picksOf({
    turnId,
    chatId,
    step,
    actor,
  }: RowPress): Promise<InlineKeyboardMarkup | 'not_yours' | 'gone'> {
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
      const isHere = turn?.chatId === message.chatId
      if (turn === undefined || !isHere) return void (await outbox.editKeyboard(message))
      // A running reply brings its own, and so does an attempt that writes into this message.
      if (isOpen(turn) || turn.endedAt === null) return
      const next = await this.#turns.findSuccessor(turn)
      if (next?.messageIds.includes(message.messageId)) return
      const isLast = turn.messageIds.at(-1) === message.messageId
      await outbox.editKeyboard(message, isLast ? await this.below(turn) : undefined)
    } catch (error) {
      this.#logLeft(turnId, error)
    }
  }

  /**
   * Takes the row away from the answer before a turn once its chat has room: a button that is still there explains
   * itself when it is pressed. Never throws.
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
      const isFinished = before.state === 'finished'
      const wasLast = before.endedAt !== null && before.endedAt <= turn.createdAt
      const isDue = isFinished ? offers.again.length > 0 && wasLast : isReplaced
      if (!isDue) return
      const rest = this.#keyboardOf(before, { ...offers, again: [] })
      await this.#app.outbox.editKeyboardWhenFree({ chatId: before.chatId, messageId }, rest)
    } catch (error) {
      this.#logLeft(turn.id, error)
    }
  }

  #keyboardOf(turn: Turn, offers: EndOffers): InlineKeyboardMarkup | undefined {
    const { texts, spend } = this.#app
    return endKeyboard(turn, offers, { texts, limitTexts: spend.limitTexts })
  }

  /** Never throws: an answer is shown even if its offers are not known. */
  async #readOffers(turn: Turn): Promise<EndOffers> {
    try {
      const [again, isCostShown] = await Promise.all([
        this.#readAgain(turn),
        this.#readIsCostShown(turn),
      ])
      return { again, isCostShown }
    } catch (error) {
      this.#app.log.warn({ ...errorFacts(error), turnId: turn.id.toString() }, 'nothing offered')
      return { again: [], isCostShown: false }
    }
  }

  /** Only the last answer of a thread is given again: the messages after an older one rest on it. */
  async #readAgain(turn: Turn): Promise<EndOffers['again']> {
    if (!decisionsFor(turn).includes('again')) return []
    const isLast = turn.isLast ?? (await this.#turns.isLast(turn))
    return isLast ? this.#offersFor(turn) : []
  }

  async #readIsCostShown(turn: Turn): Promise<boolean> {
    if (turn.charge === undefined) return false
    return isShown(turn.charge.amountMicroRub, await this.#app.spend.costNotes.ofTurn(turn))
  }

  /**
   * Returns the model that answered, while the service has it, then others. A model that is not set up right is
   * not offered again. Others without a price, free ones or those whose prices are not known, are offered where none
   * has one, or as the only way on from a failure.
   *
   * The same request goes out, so that its tokens are known: as the service counted them for the answer that is
   * there, otherwise as they are estimated. The next answer is taken to be as long as that one.
   */
  async #offersFor(turn: Turn): Promise<AgainOffer[]> {
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
    const isPriceless = priced.length === 0 || (isFailed && !hasOther)
    const others = chooseOthers(turn.model, isPriceless ? fitting : priced)
    const isListed = !isFailed && known.some(({ id }) => id === turn.model)
    const own = priced.find(({ id }) => id === turn.model) ?? { id: turn.model, costMicroRub: 0n }
    return [...(isListed ? [toOffer(own, true)] : []), ...others.map((one) => toOffer(one, false))]
  }

  #logLeft(turnId: bigint, error: unknown): void {
    const facts = { ...errorFacts(error), turnId: turnId.toString() }
    this.#app.log.info(facts, 'buttons not changed')
  }
}

/**
 * Chooses the models with which an answer is offered again beside its own: the nearest in price, the cheapest first,
 * since a service gives no other figure by which models could be compared. None is an unpleasant surprise.
 */
function chooseOthers(model: string, priced: readonly PricedModel[]): readonly PricedModel[] {
  const byPrice = priced.toSorted((one, other) => Number(one.costMicroRub - other.costMicroRub))
  const own = byPrice.findIndex(({ id }) => id === model)
  const stepsTo = ({ index }: { index: number }) => Math.abs(index - own)
  return byPrice
    .map((other, index) => ({ other, index }))
    .filter(({ index }) => index !== own)
    .toSorted((one, other) => stepsTo(one) - stepsTo(other))
    .slice(0, OTHERS_MAX)
    .toSorted((one, other) => one.index - other.index)
    .map(({ other }) => other)
}

function toOffer({ id, costMicroRub }: PricedModel, isSame: boolean): AgainOffer {
  return { model: id, isSame, ...(costMicroRub > 0n && { costMicroRub }) }
}
