import type { Update } from 'grammy/types'
import type { Shown } from './commands-setup.ts'

/** A press as a client sends it that was never shown the button. */
export function pressOf(
  data: string,
  { userId, message }: { userId: number; message: Shown | undefined },
): Update {
  const from = { id: userId, is_bot: false, first_name: 'Anna', language_code: 'en' }
  const chatId = message?.chatId ?? 0
  const chat =
    chatId > 0
      ? ({ id: chatId, type: 'private', first_name: 'Anna' } as const)
      : ({ id: chatId, type: 'group', title: 'Friends' } as const)
  const shown = { message_id: message?.id ?? 0, date: 1, chat, from, text: message?.text ?? '' }
  return {
    update_id: 1_000_000,
    callback_query: { id: '1', from, chat_instance: '1', data, message: shown },
  } as Update
}

/** The last notice that a press was answered with. */
export function noticeOf(playground: { calls: readonly { method: string; params: object }[] }) {
  const call = playground.calls.findLast(({ method }) => method === 'answerCallbackQuery')
  return call && 'text' in call.params ? call.params.text : undefined
}
