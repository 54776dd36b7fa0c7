import type { Update } from 'grammy/types'
import { buttonsOf, setUp } from '../commands/commands-setup.ts'

/** A user's chat in which cards are answered. */
export async function openChat(...given: Parameters<typeof setUp>) {
  const setup = await setUp(...given)
  const { playground, handle, handleAll } = setup
  let lastQuery = 0
  return { ...setup, cardIn, reply, forge, answered }

  function cardIn(chatId: number) {
    const card = playground.transcript(chatId).findLast((one) => buttonsOf(one).length > 0)
    const markup = card?.replyMarkup
    const buttons = markup && 'inline_keyboard' in markup ? markup.inline_keyboard.flat() : []
    const data = buttons.map((one) => ('callback_data' in one ? one.callback_data : ''))
    const styles = buttons.map(({ style }) => style)
    return { id: card?.id ?? 0, text: card?.text, buttons: buttonsOf(card), data, styles }
  }

  async function reply(
    userId: number,
    text: string,
    { to = cardIn(userId).id, chatId = userId } = {},
  ) {
    const sent = playground.userSends({ userId, chatId, text, replyToMessageId: to })
    await handleAll()
    return sent.message_id
  }

  async function forge(
    {
      userId,
      chatId = userId,
      messageId,
      data,
    }: { userId: number; chatId?: number; messageId: number; data: string },
    beforeItArrives = () => {},
  ): Promise<string> {
    const id = `forged ${++lastQuery}`
    const from = { id: userId, is_bot: false, first_name: 'Anna', language_code: 'en' }
    const message = { message_id: messageId, chat: { id: chatId, type: 'private' }, date: 1 }
    beforeItArrives()
    const callback_query = { id, from, message, data, chat_instance: '1' }
    await handle({ update_id: lastQuery, callback_query } as Update)
    return id
  }

  function answered(callbackQueryId: string): string | undefined {
    const call = playground.calls.findLast(
      ({ method, params }) =>
        method === 'answerCallbackQuery' && params.callback_query_id === callbackQueryId,
    )
    return call && String(call.params.text)
  }
}
