import { isDeepStrictEqual } from 'node:util'
import type { Logger } from 'pino'
import { retryUntilStored } from '../../../platform/database/retry-until-stored.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Texts } from '../../locales/texts.ts'
import type { LimitTexts } from '../../spend/limits/limit-texts.ts'
import { errorFacts } from '../../telegram/error-facts.ts'
import { ChatUnreachableError } from '../../telegram/errors.ts'
import type { RichSupport } from '../../telegram/formatting.ts'
import type { Outbox } from '../../telegram/send.ts'
import type { ShownTexts } from '../turns/shown-texts.ts'
import { isCutShort, keptMessages, type ShownReply, type Turn } from '../turns/turn.ts'
import type { Turns } from '../turns/turns.ts'
import type { AnswerRow } from './answer-row.ts'
import { createDraft, type Draft } from './draft/draft.ts'
import { toFinalText } from './ending/final-text.ts'
import { stopKeyboard } from './turn-keyboards.ts'

export interface ShowTurnDeps {
  turns: Pick<Turns, 'read' | 'isLast' | 'isOvertaken' | 'recordSending' | 'recordShown'> &
    Pick<Turns, 'close' | 'recordLeft' | 'takeUp'>
  shownTexts: ShownTexts
  answerRow: Pick<AnswerRow, 'below'>
  outbox: Outbox
  richSupport: RichSupport
  texts: Texts
  limitTexts: LimitTexts
  clock: Clock
  log: Logger
}

/** Shows turns in their chats: a draft while one runs, in the end its final text and its buttons. */
export function createShowTurn({
  turns,
  shownTexts,
  answerRow,
  outbox,
  richSupport,
  texts,
  limitTexts,
  clock,
  log,
}: ShowTurnDeps) {
  return { openDraft, show, showLeft, showCost, showLateCost, moveDown }

  function openDraft(turn: Turn, signal: AbortSignal): Draft {
    const { id, chatId, threadId, languageCode } = turn
    const keptIds = keptMessages(turn)
    const messageIds = shownBefore(turn)
    const onNotRecorded = (error: unknown) => {
      log.warn({ ...errorFacts(error), turnId: id.toString() }, 'reply not recorded')
    }
    const untilStored = <T>(write: () => Promise<T>) =>
      retryUntilStored(write, { clock, signal, onTrouble: onNotRecorded })
    let isOver = false
    let recorded: ShownReply = { ...turn, mayHaveSent: turn.sendingSince !== null }
    let unrecorded: ShownReply | undefined
    // An unknown message would stand beside the one that another process sends. So it waits.
    const onSending = async () => {
      const isSeparated = await untilStored(() => turns.recordSending(turn))
      recorded = { ...recorded, mayHaveSent: true }
      return keptIds.at(-1) ?? questionOf(turn, isSeparated)
    }
    const record = async (shown: ShownReply) => {
      if (isCutShort(turn)) await turns.close(id, shown)
      else await turns.recordShown(id, shown)
      recorded = shown
      unrecorded = undefined
    }
    // If this write fails the chat is ahead of the database; the next one brings the row up.
    const onShown = async (own: ShownReply) => {
      const shown = { ...own, messageIds: [...keptIds, ...own.messageIds] }
      if (isCutShort(turn)) {
        // What explains it is recorded with the turn's end: a turn that has not ended has not explained it.
        unrecorded = shown
        return
      }
      if (!showsMore(shown, recorded, { isOver })) {
        if (!isOver) shownTexts.record(id, shown.shownText)
        return
      }
      unrecorded = shown
      await record(shown).catch(onNotRecorded)
    }
    const draft = createDraft(
      { outbox, clock, richSupport, log, signal, onSending, onShown },
      {
        chatId,
        threadId,
        format: turn.format,
        messageIds,
        maybeDoubleIds: turn.maybeDoubleIds,
        mayHaveSent: mayShowAnswer(turn),
        keyboard: stopKeyboard(turn, texts),
        maybeDoubleNote: texts.t(languageCode, 'reply-maybe-double'),
      },
    )
    return { ...draft, finish, rest }

    /** Finishes the draft, and records its last state until that is stored, since no later write would. */
    async function finish(...whole: Parameters<Draft['finish']>): Promise<void> {
      isOver = true
      shownTexts.drop(id)
      await draft.finish(...whole)
      const last = unrecorded
      if (last !== undefined) await untilStored(() => record(last))
    }

    async function rest(): Promise<void> {
      await draft.rest()
      await shownTexts.write()
    }
  }

  async function show(turn: Turn, draft: Draft): Promise<void> {
    try {
      const messageId = keptMessages(turn).at(-1)
      // The bot cannot know what Telegram shows there: the text stays as it is.
      if (messageId !== undefined) await outbox.editKeyboard({ chatId: turn.chatId, messageId })
      await draft.finish(wholeReply(turn), await answerRow.below(turn))
    } catch (error) {
      if (!(error instanceof ChatUnreachableError)) throw error
      log.info({ ...errorFacts(error), turnId: turn.id.toString() }, 'reply not wanted any more')
      await turns.recordLeft(turn.id)
    }
  }

  /** Shows the rest of answers that their chat had refused, as a closed topic does, once it is used again. Never throws. */
  async function showLeft(before: readonly Turn[], signal: AbortSignal): Promise<void> {
    for (const left of before.filter(isLeft).toReversed()) {
      try {
        const turn = await turns.takeUp(left)
        if (turn === undefined) continue
        await turns.recordShown(turn.id, { ...turn, mayHaveSent: false })
        await show(turn, openDraft({ ...turn, sendingSince: null }, signal))
        await turns.close(turn.id)
      } catch (error) {
        log.warn({ ...errorFacts(error), turnId: left.id.toString() }, 'rest of a reply not shown')
      }
    }
  }

  /**
   * Shows below a stopped answer what it cost, with the call that shows its end or one that nothing waits for. Where
   * something came after it, the answer stays as it is. Never throws.
   */
  function showCost({ id }: Turn, draft: Draft): Promise<void> {
    return showChargeOf(id, draft.amend)
  }

  function showLateCost(turn: Turn, signal: AbortSignal): Promise<void> {
    return showChargeOf(turn.id, (...whole) => openDraft(turn, signal).finish(...whole))
  }

  async function showChargeOf(id: bigint, show: Draft['finish']): Promise<void> {
    try {
      const turn = await turns.read(id)
      const isShown = turn?.charge !== undefined && turn.charge.amountMicroRub > 0n
      if (!isShown || turn.setAsideAt !== null || !(await turns.isLast(turn))) return
      await show(wholeReply(turn), await answerRow.below(turn))
    } catch (error) {
      log.info({ ...errorFacts(error), turnId: id.toString() }, 'cost of a stopped reply not shown')
    }
  }

  function wholeReply(turn: Turn) {
    const { languageCode } = turn
    return { ...toFinalText(turn, { texts, limitTexts, languageCode }), from: keptChars(turn) }
  }

  /**
   * Takes the line that a question waits away where the reply before it went on below it: its answer begins in a new
   * message then, so that replies stand in the order of their questions.
   */
  async function moveDown(turn: Turn): Promise<Turn> {
    const [messageId] = turn.messageIds
    // An answer that was asked for by a button below a message stands there.
    const hasLine = messageId !== undefined && turn.kind === 'answer' && turn.replacesId === null
    if (!hasLine || !(await turns.isOvertaken(turn))) return turn
    await outbox.remove({ chatId: turn.chatId, messageId })
    const mayHaveSent = turn.sendingSince !== null
    await turns.recordShown(turn.id, { ...turn, messageIds: [], maybeDoubleIds: [], mayHaveSent })
    return { ...turn, messageIds: [], maybeDoubleIds: [] }
  }
}

/** Checks whether an answer ended without being shown whole: its chat took no more of it. */
function isLeft(turn: Turn): boolean {
  const { answer, endedAt, sendingSince, setAsideAt } = turn
  const isOver = answer !== undefined && endedAt !== null && setAsideAt === null
  return isOver && sendingSince !== null && !isCutShort(turn)
}

export type ShowTurn = ReturnType<typeof createShowTurn>

/** The row of a reply that is over has its text. */
function showsMore(
  shown: ShownReply,
  recorded: ShownReply,
  { isOver }: { isOver: boolean },
): boolean {
  const isBeginning = recorded.shownText === '' && !isOver
  const isSame =
    shown.mayHaveSent === recorded.mayHaveSent &&
    isDeepStrictEqual(shown.messageIds, recorded.messageIds) &&
    isDeepStrictEqual(shown.maybeDoubleIds, recorded.maybeDoubleIds)
  return isBeginning || !isSame
}

function shownBefore(turn: Turn): readonly number[] {
  // The sending that was recorded was of its first words, in the message that shows the wait, or maybe them.
  const isHidden = turn.state === 'streaming' && turn.shownText === '' && mayShowAnswer(turn)
  return isCutShort(turn) || isHidden ? [] : turn.messageIds
}

function keptChars(turn: Turn): number {
  return keptMessages(turn).length === 0 ? 0 : (turn.answer ?? turn.shownText).length
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
function mayShowAnswer({ state, requests, sendingSince }: Turn): boolean {
  return sendingSince !== null && (state !== 'streaming' || requests > 0)
}
