import type { Logger } from 'pino'
import { retryUntilStored } from '../../../platform/database/retry-until-stored.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Texts } from '../../locales/texts.ts'
import type { ChatThread } from '../../telegram/addressing/chat-thread.ts'
import { errorFacts } from '../../telegram/error-facts.ts'
import type { MessageRef, Outbox } from '../../telegram/send.ts'
import type { ShownReply, Turn } from '../turns/turn.ts'
import type { Turns } from '../turns/turns.ts'
import { takeBackKeyboard } from './turn-keyboards.ts'

/**
 * How long a turn waits before its chat shows it: a shorter wait needs no words. So often it is then looked whether
 * the replies before it have their messages.
 */
const SILENT_MS = 1_000
/** How long the chat may refuse the words, as in a flood wait. The answer does not wait longer. */
const UNSENT_MS_MAX = 5_000

const NOTHING_SHOWN: ShownReply = {
  messageIds: [],
  maybeDoubleIds: [],
  mayHaveSent: false,
  shownText: '',
}

interface UnderWay extends ChatThread {
  over: AbortController
  ended: Promise<void>
}

export interface AcknowledgementsDeps {
  turns: Pick<
    Turns,
    'read' | 'countBefore' | 'leaseWaiting' | 'recordSending' | 'recordShown' | 'giveBackWaiting'
  >
  outbox: Pick<Outbox, 'send' | 'edit'>
  texts: Texts
  clock: Clock
  log: Logger
  signal: AbortSignal
}

/**
 * Shows in chats that turns wait for those before them: one line in reply to the message, with a button to take it
 * back. The answer replaces the line.
 *
 * A line is sent once or not at all, by the process that has the turn's lease: the answer begins after it. It is sent
 * after the first messages of the replies before it, so that replies stand in the order of their questions.
 */
export function createAcknowledgements(deps: AcknowledgementsDeps) {
  const { turns, outbox, texts, clock, log, signal } = deps
  const underWay = new Map<bigint, UnderWay>()
  return { begin, end }

  function begin({ id, chatId, threadId }: Pick<Turn, 'id' | keyof ChatThread>): void {
    if (underWay.has(id)) return
    const over = new AbortController()
    const before = [...underWay.values()].findLast(
      (one) => one.chatId === chatId && one.threadId === threadId,
    )
    const ended = acknowledge(id, before?.ended, AbortSignal.any([signal, over.signal]))
      .catch((error: unknown) => {
        if (over.signal.aborted || signal.aborted) return
        log.info({ ...errorFacts(error), turnId: id.toString() }, 'wait maybe not shown')
      })
      .finally(() => underWay.delete(id))
    underWay.set(id, { chatId, threadId, over, ended })
  }

  async function end({ id }: Pick<Turn, 'id'>): Promise<void> {
    const one = underWay.get(id)
    one?.over.abort()
    await one?.ended
  }

  async function acknowledge(
    id: bigint,
    before: Promise<void> | undefined,
    ended: AbortSignal,
  ): Promise<void> {
    await clock.sleep(SILENT_MS, ended)
    await before
    ended.throwIfAborted()
    let mayBeLeased = false
    try {
      while (true) {
        // The database may take it, and lose the answer.
        mayBeLeased = true
        const lease = await turns.leaseWaiting(id)
        mayBeLeased = lease === 'leased'
        if (lease !== 'early') break
        await clock.sleep(SILENT_MS, ended)
      }
      const turn = mayBeLeased ? await turns.read(id) : undefined
      const bounded = AbortSignal.any([ended, AbortSignal.timeout(UNSENT_MS_MAX)])
      if (turn !== undefined) await show(turn, bounded)
    } finally {
      if (mayBeLeased) await giveBack(id)
    }
  }

  /** Ends the lease however long the database is away: while this process lives, the answer would wait for it. */
  async function giveBack(id: bigint): Promise<void> {
    await retryUntilStored(() => turns.giveBackWaiting(id), { clock, signal })
  }

  async function show(turn: Turn, bounded: AbortSignal): Promise<void> {
    const { id, languageCode, messageIds } = turn
    const count = await turns.countBefore(turn)
    // The one before it has just ended.
    if (count === 0) return
    const text = texts.t(languageCode, 'reply-waits', { count })
    const keyboard = takeBackKeyboard(turn, texts)
    const { messageId } = await toMessage(turn, { text, keyboard }, bounded)
    const isKnown = messageIds.includes(messageId)
    const ids = isKnown ? messageIds : [messageId]
    await turns.recordShown(id, { ...NOTHING_SHOWN, messageIds: ids })
  }

  async function toMessage(
    turn: Turn,
    line: Pick<Parameters<Outbox['send']>[0], 'keyboard'> & { text: string },
    bounded: AbortSignal,
  ): Promise<MessageRef> {
    const { id, chatId, threadId, promptMessageId, messageIds } = turn
    const [shownId] = messageIds
    if (shownId !== undefined) {
      const target = { chatId, messageId: shownId }
      await outbox.edit(target, line, { keyboard: line.keyboard, signal: bounded })
      return target
    }
    const replyToMessageId = promptMessageId > 0 ? promptMessageId : undefined
    return outbox.send(
      { chatId, threadId, ...line, replyToMessageId },
      {
        signal: bounded,
        onAttempt: async () => void (await turns.recordSending(turn)),
        onNothingSent: () => turns.recordShown(id, NOTHING_SHOWN),
      },
    )
  }
}
