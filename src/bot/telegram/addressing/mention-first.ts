import type { MessageEntity } from 'grammy/types'
import { shortenLine } from '../../locales/shorten.ts'
import type { Sender } from './sender.ts'

const NAME_CHARS_MAX = 64

/**
 * Names a user at the beginning of a text that asks them for a reply. Without the mention the reply would open for
 * everybody in a group.
 */
export function mentionFirst({ id, firstName }: Pick<Sender, 'id' | 'firstName'>): {
  name: string
  entities: MessageEntity[]
} {
  const name = shortenLine(firstName, NAME_CHARS_MAX) || '–'
  const user = { id, is_bot: false, first_name: firstName }
  return { name, entities: [{ type: 'text_mention', offset: 0, length: name.length, user }] }
}
