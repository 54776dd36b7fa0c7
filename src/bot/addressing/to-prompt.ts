import type { Message } from 'grammy/types'
import type { Prompt } from '../reply/turns.ts'
import { type Me, withoutMentions } from './address.ts'
import { placeOf } from './place.ts'
import type { Sender } from './sender.ts'

/**
 * Makes a prompt of a text message.
 *
 * In a group the bot's own name is taken out, and the asker's stands in front: the model would not
 * know the voices apart.
 *
 * @returns A prompt whose text is empty where there is nothing but the bot's name.
 */
export function toPrompt(
  message: Message & { text: string },
  { sender, me }: { sender: Sender; me: Me },
): Prompt {
  const asked = { ...placeOf(message), messageId: message.message_id, user: sender }
  if (message.chat.type === 'private') return { ...asked, text: message.text }
  const text = withoutMentions(message, me)
  const name = sender.firstName.replace(/\s+/g, ' ').trim()
  return { ...asked, text: text === '' || name === '' ? text : `${name}: ${text}` }
}
