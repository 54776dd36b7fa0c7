import type { App } from '../context.ts'
import { errorFacts } from '../telegram/error-facts.ts'
import { ChatUnreachableError } from '../telegram/errors.ts'
import type { AnswerRow } from './answer-row.ts'
import { Draft } from './draft.ts'
import { toFinalText } from './final-text.ts'
import { ReplyRecord } from './reply-record.ts'
import { isCutShort, keptMessages, type Turn } from './turn.ts'
import type { Turns } from './turns.ts'

/** Shows turns in their chats: a draft while one runs, in the end its final text and its buttons. */
export class ShowTurn {
  readonly #app: App
  readonly #turns: Turns
  readonly #answerRow: AnswerRow

  constructor(app: App, parts: { turns: Turns; answerRow: AnswerRow }) {
    this.#app = app
    this.#turns = parts.turns
    this.#answerRow = parts.answerRow
  }

  openDraft(turn: Turn, signal: AbortSignal): Draft {
    const record = new ReplyRecord(this.#app, this.#turns, { turn, signal })
    return new Draft(this.#app, { turn, record, signal })
  }

  async show(turn: Turn, draft: Draft): Promise<void> {
    try {
      const messageId = keptMessages(turn).at(-1)
      // The bot cannot know what Telegram shows there: the text stays as it is.
      if (messageId !== undefined) {
        await this.#app.outbox.editKeyboard({ chatId: turn.chatId, messageId })
      }
      await draft.finish(this.#wholeReply(turn), await this.#answerRow.below(turn))
    } catch (error) {
      if (!(error instanceof ChatUnreachableError)) throw error
      const facts = { ...errorFacts(error), turnId: turn.id.toString() }
      this.#app.log.info(facts, 'reply not wanted any more')
      await this.#turns.recordLeft(turn.id)
    }
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
        const facts = { ...errorFacts(error), turnId: left.id.toString() }
        this.#app.log.warn(facts, 'rest of a reply not shown')
      }
    }
  }

  /**
   * Shows below a stopped answer what it cost, with the call that shows its end or one that nothing waits for. Where
   * something came after it, the answer stays as it is. Never throws.
   */
  async showCost(id: bigint, show: Draft['finish']): Promise<void> {
    try {
      const turn = await this.#turns.read(id)
      const isShown = turn?.charge !== undefined && turn.charge.amountMicroRub > 0n
      if (!isShown || turn.setAsideAt !== null || !(await this.#turns.isLast(turn))) return
      await show(this.#wholeReply(turn), await this.#answerRow.below(turn))
    } catch (error) {
      const facts = { ...errorFacts(error), turnId: id.toString() }
      this.#app.log.info(facts, 'cost of a stopped reply not shown')
    }
  }

  /**
   * Takes the line that a question waits away where the reply before it went on below it: its answer begins in a new
   * message then, so that replies stand in the order of their questions.
   */
  async moveDown(turn: Turn): Promise<Turn> {
    const [messageId] = turn.messageIds
    // An answer that was asked for by a button below a message stands there.
    const hasLine = messageId !== undefined && turn.kind === 'answer' && turn.replacesId === null
    if (!hasLine || !(await this.#turns.isOvertaken(turn))) return turn
    await this.#app.outbox.remove({ chatId: turn.chatId, messageId })
    const mayHaveSent = turn.sendingSince !== null
    await this.#turns.recordShown(turn.id, {
      ...turn,
      messageIds: [],
      maybeDoubleIds: [],
      mayHaveSent,
    })
    return { ...turn, messageIds: [], maybeDoubleIds: [] }
  }

  #wholeReply(turn: Turn) {
    const { texts, spend } = this.#app
    const { answer, shownText } = turn
    const from = keptMessages(turn).length === 0 ? 0 : (answer ?? shownText).length
    return { ...toFinalText(turn, { texts, limitTexts: spend.limitTexts }), from }
  }
}

/** Checks whether an answer ended without being shown whole: its chat took no more of it. */
function isLeft(turn: Turn): boolean {
  const { answer, endedAt, sendingSince, setAsideAt } = turn
  const isOver = answer !== undefined && endedAt !== null && setAsideAt === null
  return isOver && sendingSince !== null && !isCutShort(turn)
}
