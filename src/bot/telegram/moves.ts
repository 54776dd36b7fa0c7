import { isTelegramError } from './errors.ts'
import type { MessageRef, Outbox, SentMedia } from './send.ts'

const REDIRECTED_MAX = 10_000
const SUPERGROUP_ID_MAX = -1_000_000_000_000

/**
 * Sends messages for a migrated group to its supergroup; edits of its old messages return `gone`.
 *
 * @param moveChat Moves the chat's rows before a message is shown in the new chat.
 */
export function followMoves(
  outbox: Outbox,
  moveChat: (move: { from: number; to: number }) => Promise<void>,
): Outbox {
  const redirected = new Map<string, number>()
  return {
    ...outbox,
    edit: (target, source, options) => orGone(() => outbox.edit(whereIs(target), source, options)),
    editInterim: (target, source, options) =>
      orGone(() => outbox.editInterim(whereIs(target), source, options)),
    send: (message, options) => resent(message, (given) => outbox.send(given, options)),
    sendMedia: (message, options) => resent(message, (given) => outbox.sendMedia(given, options)),
    editToMedia: (target, file, options) =>
      orGone(() => outbox.editToMedia(whereIs(target), file, options)),
  }

  async function resent<M extends { chatId: number }, Sent extends MessageRef | SentMedia>(
    message: M,
    send: (message: M) => Promise<Sent>,
  ): Promise<Sent> {
    try {
      return await send(message)
    } catch (error) {
      if (!isTelegramError(error, 'chat_migrated')) throw error
      const { chatId: from, newChatId: to = from } = error.facts
      await moveChat({ from, to })
      // The message that this one answers has no number in the new chat.
      const sent = await send({ ...message, chatId: to, replyToMessageId: undefined })
      const messageIds = 'messageIds' in sent ? sent.messageIds : [sent.messageId]
      for (const messageId of messageIds) remember({ chatId: from, messageId }, to)
      return sent
    }
  }

  async function orGone<T>(call: () => Promise<T>): Promise<T | 'gone'> {
    try {
      return await call()
    } catch (error) {
      if (isTelegramError(error, 'chat_migrated')) {
        const { chatId: from, newChatId: to = from } = error.facts
        await moveChat({ from, to })
        return 'gone'
      }
      // Telegram answers with the new chat when something is sent to the old one, which comes next.
      if (isTelegramError(error, 'chat_unreachable') && isBasicGroup(error.facts.chatId))
        return 'gone'
      throw error
    }
  }

  function whereIs(target: MessageRef): MessageRef {
    return { ...target, chatId: redirected.get(keyOf(target)) ?? target.chatId }
  }

  function remember(message: MessageRef, chatId: number): void {
    redirected.set(keyOf(message), chatId)
    const [oldest] = redirected.keys()
    if (redirected.size > REDIRECTED_MAX && oldest !== undefined) redirected.delete(oldest)
  }
}

/** Only basic groups become supergroups. */
function isBasicGroup(chatId: number): boolean {
  return chatId < 0 && chatId > SUPERGROUP_ID_MAX
}

function keyOf({ chatId, messageId }: MessageRef): string {
  return `${chatId} ${messageId}`
}
