import type { MessageEntity, User } from 'grammy/types'

/**
 * Finds the mentions of people without a username: their names, in the order in which they were chosen.
 * A name that was changed afterwards is no mention.
 */
export function mentionsIn(text: string, chosen: readonly User[]): MessageEntity[] {
  const entities: MessageEntity[] = []
  let from = 0
  for (const user of chosen) {
    const offset = text.indexOf(user.first_name, from)
    if (offset === -1) continue
    from = offset + user.first_name.length
    entities.push({ type: 'text_mention', offset, length: user.first_name.length, user })
  }
  return entities
}
