import type { Context } from 'grammy'
import { type ChatThread, threadOf } from './chat-thread.ts'

/** The message whose button was pressed; undefined where Telegram does not name it any more. */
export function pressedMessageOf(
  ctx: Pick<Context, 'callbackQuery'>,
): (ChatThread & { messageId: number }) | undefined {
  const message = ctx.callbackQuery?.message
  return message && { ...threadOf(message), messageId: message.message_id }
}
