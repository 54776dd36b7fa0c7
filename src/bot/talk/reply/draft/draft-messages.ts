import type { InlineKeyboardMarkup } from 'grammy/types'
import type { Clock } from '../../../../platform/time/clock.ts'
import { backoffMs } from '../../../../platform/time/retry.ts'
import type { ChatThread } from '../../../telegram/addressing/chat-thread.ts'
import { SendOutcomeUnknownError } from '../../../telegram/errors.ts'
import type { Body } from '../../../telegram/message.ts'
import type { Outbox } from '../../../telegram/send.ts'
import type { ShownReply } from '../../turns/turn.ts'
import { withNoteAbove } from './bodies.ts'
import type { DraftMessage, DraftPart } from './next-act.ts'

/** A send whose outcome is unknown is repeated ever more slowly: each of them may be in the chat. */
const UNKNOWN_BACKOFF = { firstMs: 2000, maxMs: 120_000 }
const NOTHING: Body = { text: '…' }

export interface DraftMessagesDeps {
  outbox: Pick<Outbox, 'send' | 'edit' | 'editInterim'>
  clock: Clock
  /**
   * Called before a message is sent, which waits for it: from then on the message may stand in the chat.
   *
   * @returns The message that the first one is to be seen to answer, if there is one.
   */
  onSending: () => Promise<number | undefined>
  onShown: (shown: ShownReply) => Promise<void>
  signal: AbortSignal
}

export interface DraftMessagesOptions extends ChatThread {
  messageIds?: readonly number[]
  maybeDoubleIds?: readonly number[]
  /** True if one more may stand after them: an earlier run died while it was being sent. */
  mayHaveSent?: boolean | undefined
  /** The note in front of a text that was sent before with an unknown outcome. At most 90 characters. */
  maybeDoubleNote: string
}

interface Look {
  part: DraftPart
  keyboard: InlineKeyboardMarkup | undefined
}

interface Growth extends Pick<Look, 'keyboard'> {
  newest: () => DraftPart | undefined
  isNeeded: () => boolean
  overtaken: Promise<'overtaken'>
}

/**
 * Keeps the messages of a reply in a chat, and what is known of them.
 *
 * @param textUntil The beginning of the reply, so many characters of it.
 */
export function createDraftMessages(
  { outbox, clock, onSending, onShown, signal }: DraftMessagesDeps,
  { chatId, threadId, messageIds = [], maybeDoubleIds, ...options }: DraftMessagesOptions,
  textUntil: (chars: number) => string,
) {
  const { maybeDoubleNote } = options
  const all: DraftMessage[] = messageIds.map((id) => ({
    id,
    unknownSends: 0,
    isMaybeDouble: maybeDoubleIds?.includes(id) ?? false,
  }))
  if (options.mayHaveSent) all.push({ unknownSends: 1 })
  let shownChars = 0
  return {
    all: all as readonly DraftMessage[],
    mayBeSent,
    send,
    complete,
    grow,
    amend,
    skip,
    clearFrom,
  }

  /** Resolves when a message may be sent: one that may be in the chat already is not sent again at once. */
  async function mayBeSent(index: number): Promise<void> {
    const unknownSends = all[index]?.unknownSends ?? 0
    if (unknownSends > 0) await clock.sleep(backoffMs(UNKNOWN_BACKOFF, unknownSends), signal)
  }

  /** @returns Whether it is known to stand in the chat. */
  async function send(index: number, { part, keyboard }: Look): Promise<boolean> {
    all[index] ??= { unknownSends: 0 }
    const message = all[index]
    message.isMaybeDouble ||= message.unknownSends > 0
    let question: number | undefined
    const answered = index === 0 && { replyToMessageId: () => question }
    const outgoing = { chatId, threadId, ...shownBy(message, part), keyboard, ...answered }
    try {
      const { messageId } = await outbox.send(outgoing, {
        signal,
        onAttempt: async () => {
          question = await onSending()
        },
        onNothingSent: recordShown,
      })
      message.id = messageId
    } catch (error) {
      if (!(error instanceof SendOutcomeUnknownError)) throw error
      // Nothing of the reply is lost with an announcement: the reply begins below it.
      if (!part.isAnnouncement) message.unknownSends += 1
      return false
    }
    message.unknownSends = 0
    await recordLook(message, { part, keyboard })
    return true
  }

  async function complete(
    index: number,
    { newest, keyboard }: Pick<Look, 'keyboard'> & { newest: () => DraftPart },
  ): Promise<void> {
    const { target, message } = at(index)
    let part = newest()
    const body = () => {
      part = newest()
      return shownBy(message, part)
    }
    const outcome = await outbox.edit(target, body, { keyboard, signal })
    if (outcome === 'shown') await recordLook(message, { part, keyboard })
    else forget(message)
  }

  async function amend(
    index: number,
    { newest, keyboard, isNeeded }: Omit<Growth, 'overtaken'>,
  ): Promise<void> {
    const { target, message } = at(index)
    const body = () => {
      const part = newest()
      return part === undefined ? NOTHING : shownBy(message, part)
    }
    await outbox.editInterim(target, body, { keyboard, isNeeded, signal })
  }

  async function grow(
    index: number,
    { newest, keyboard, isNeeded, overtaken }: Growth,
  ): Promise<boolean> {
    const { target, message } = at(index)
    // A crash would leave a message of which nobody knows whether it shows the wait or the answer.
    if (shownChars === 0 && newest()?.isAnnouncement !== true) await onSending()
    let part: DraftPart | undefined
    const body = () => {
      part = newest()
      return part === undefined ? NOTHING : shownBy(message, part)
    }
    const edited = outbox.editInterim(target, body, { keyboard, isNeeded, signal })
    const outcome = await Promise.race([edited, overtaken])
    if (outcome === 'overtaken') edited.catch(() => {})
    else if (outcome === 'gone') forget(message)
    else if (outcome === 'shown' && part !== undefined)
      await recordLook(message, { part, keyboard })
    else return outcome !== 'unneeded'
    return false
  }

  function shownBy({ isMaybeDouble }: DraftMessage, { body }: DraftPart): Body {
    return isMaybeDouble ? withNoteAbove(body, maybeDoubleNote) : body
  }

  function skip(index: number, part: DraftPart | undefined): void {
    if (part === undefined) return
    all[index] ??= { unknownSends: 0 }
    all[index].skipped = part.body
  }

  async function recordLook(message: DraftMessage, { part, keyboard }: Look): Promise<void> {
    message.body = part.body
    message.keyboard = keyboard
    await recordShown(part.end)
  }

  async function recordShown(end = 0): Promise<void> {
    shownChars = Math.max(shownChars, end)
    const mayHaveSent = all.some(({ unknownSends }) => unknownSends > 0)
    await onShown({
      messageIds: idsOf(all),
      maybeDoubleIds: idsOf(all.filter(({ isMaybeDouble }) => isMaybeDouble)),
      mayHaveSent,
      shownText: textUntil(shownChars),
    })
  }

  async function clearFrom(index: number): Promise<void> {
    const ids = idsOf(all.splice(index))
    for (const messageId of ids) {
      await outbox.edit({ chatId, messageId }, NOTHING, { signal })
    }
    if (ids.length > 0) await recordShown()
  }

  function at(index: number) {
    const message = all[index]
    if (message?.id === undefined) throw new TypeError('Cannot edit message: it was not sent')
    return { message, target: { chatId, messageId: message.id } }
  }
}

function idsOf(messages: readonly DraftMessage[]): number[] {
  return messages.flatMap(({ id }) => (id === undefined ? [] : [id]))
}

function forget(message: DraftMessage): void {
  delete message.id
  delete message.body
}
