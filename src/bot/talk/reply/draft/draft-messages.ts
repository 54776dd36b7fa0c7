import type { InlineKeyboardMarkup } from 'grammy/types'
import { backoffMs } from '../../../../platform/time/backoff.ts'
import type { Clock } from '../../../../platform/time/clock.ts'
import type { ChatThread } from '../../../telegram/addressing/chat-thread.ts'
import { SendOutcomeUnknownError } from '../../../telegram/errors.ts'
import type { Body } from '../../../telegram/outbox/body.ts'
import type { Outbox } from '../../../telegram/outbox/outbox.ts'
import type { ShownReply } from '../../turns/turn.ts'
import { withNoteAbove } from './bodies.ts'
import type { DraftMessage, DraftPart } from './next-act.ts'

/** A send whose outcome is unknown is repeated ever more slowly: each of them may be in the chat. */
const UNKNOWN_BACKOFF = { firstMs: 2000, maxMs: 120_000 }
/** Stands where a message had shown what is in another one now. */
export const NOTHING: Body = { text: '…' }

export interface DraftMessagesDeps {
  outbox: Pick<Outbox, 'send' | 'edit' | 'editInterim'>
  clock: Clock
  /**
   * Told before a message is sent, which waits for it: from then on it may stand in the chat.
   *
   * @returns The message that the first one is to be seen to answer, if there is one.
   */
  onSending: () => Promise<number | undefined>
  /** Told after every change in the chat, and after a send that surely came to nothing; what is next waits for it. */
  onShown: (shown: ShownReply) => Promise<void>
  signal: AbortSignal
}

export interface DraftMessagesOptions extends ChatThread {
  /** The messages that show the beginning already. */
  messageIds?: readonly number[]
  /** Those of them that stand below the note that they may stand there twice. */
  maybeDoubleIds?: readonly number[]
  /** Whether one more may stand after them: an earlier run died while it was being sent. */
  mayHaveSent?: boolean | undefined
  /** Stands in front of a text that was sent before with an unknown outcome. At most 90 characters. */
  maybeDoubleNote: string
}

/** What one message is to show. */
interface Look {
  part: DraftPart
  keyboard: InlineKeyboardMarkup | undefined
}

/**
 * The messages of a reply in a chat, and what is known of them.
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
    skip,
    noteShown,
    clearFrom,
  }

  /** Resolves when a message may be sent: what may stand there already is not sent again at once. */
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
        onNothingSent: noteShown,
      })
      message.id = messageId
    } catch (error) {
      if (!(error instanceof SendOutcomeUnknownError)) throw error
      // Nothing of the reply is lost with an announcement: the reply begins below it.
      if (!part.isAnnouncement) message.unknownSends += 1
      return false
    }
    message.unknownSends = 0
    await note(message, { part, keyboard })
    return true
  }

  /** Edits a message until it shows the part. */
  async function complete(index: number, look: Look): Promise<void> {
    const { target, message } = at(index)
    const { part, keyboard } = look
    const outcome = await outbox.edit(target, shownBy(message, part), { keyboard, signal })
    if (outcome === 'shown') await note(message, look)
    else forget(message)
  }

  /**
   * Shows the newest part, if the message can be edited now.
   *
   * @param newest Asked when the edit's turn comes.
   * @param overtaken The edit is not waited for once this resolves.
   * @returns Whether it was dropped.
   */
  async function grow(
    index: number,
    {
      newest,
      keyboard,
      isNeeded,
      overtaken,
    }: Pick<Look, 'keyboard'> & {
      newest: () => DraftPart | undefined
      isNeeded: () => boolean
      overtaken: Promise<'overtaken'>
    },
  ): Promise<boolean> {
    const { target, message } = at(index)
    let part: DraftPart | undefined
    const body = () => {
      part = newest()
      return part === undefined ? NOTHING : shownBy(message, part)
    }
    const edited = outbox.editInterim(target, body, { keyboard, isNeeded, signal })
    const outcome = await Promise.race([edited, overtaken])
    if (outcome === 'overtaken') edited.catch(() => {})
    else if (outcome === 'gone') forget(message)
    else if (outcome === 'shown' && part !== undefined) await note(message, { part, keyboard })
    else return outcome !== 'unneeded'
    return false
  }

  function shownBy({ isMaybeDouble }: DraftMessage, { body }: DraftPart): Body {
    return isMaybeDouble ? withNoteAbove(body, maybeDoubleNote) : body
  }

  /** Has a text that goes on wait for more of it. */
  function skip(index: number, part: DraftPart | undefined): void {
    if (part === undefined) return
    all[index] ??= { unknownSends: 0 }
    all[index].skipped = part.body
  }

  async function note(message: DraftMessage, { part, keyboard }: Look): Promise<void> {
    message.body = part.body
    message.keyboard = keyboard
    await noteShown(part.end)
  }

  /** Notes that the text is seen as far as that, be it in a draft of Telegram's. */
  async function noteShown(end = 0): Promise<void> {
    shownChars = Math.max(shownChars, end)
    const mayHaveSent = all.some(({ unknownSends }) => unknownSends > 0)
    await onShown({
      messageIds: idsOf(all),
      maybeDoubleIds: idsOf(all.filter(({ isMaybeDouble }) => isMaybeDouble)),
      mayHaveSent,
      shownText: textUntil(shownChars),
    })
  }

  /** Takes from the messages after the last part what stands in others by now. */
  async function clearFrom(index: number): Promise<void> {
    const ids = idsOf(all.splice(index))
    for (const messageId of ids) {
      await outbox.edit({ chatId, messageId }, NOTHING, { signal })
    }
    if (ids.length > 0) await noteShown()
  }

  function at(index: number) {
    const message = all[index]
    if (message?.id === undefined) throw new TypeError('Cannot edit message: it was not sent')
    return { message, target: { chatId, messageId: message.id } }
  }
}

/** Of those that are known to stand in the chat. */
function idsOf(messages: readonly DraftMessage[]): number[] {
  return messages.flatMap(({ id }) => (id === undefined ? [] : [id]))
}

/** A message that was deleted is sent anew. */
function forget(message: DraftMessage): void {
  delete message.id
  delete message.body
}
