import { chats } from '../state/chats.ts'
import { nameOf, titleOf } from '../state/names.ts'
import { userOf } from '../state/people.ts'

/** Names a chat in the panel: a private one by its person, since the bot is in all of them. */
export function chatLabel(chatId: number): string {
  if (chatId === 0) return ''
  const user = userOf(chatId)
  if (user !== undefined) return nameOf(user)
  const chat = chats.value?.find(({ id }) => id === chatId)?.info.value.chat
  return chat === undefined ? String(chatId) : titleOf(chat)
}
