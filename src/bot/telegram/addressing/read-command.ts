import type { Message } from 'grammy/types'

/** A command at the very beginning of a message. */
export interface GivenCommand {
  name: string
  bot: string | undefined
  argument: string
}

/**
 * Reads the command that a message, or the caption of its file, begins with, if it does. A forward is what somebody
 * else wrote elsewhere: it gives none.
 */
export function readCommand({
  caption,
  caption_entities,
  text = caption,
  entities = caption_entities ?? [],
  forward_origin,
}: Pick<Message, 'text' | 'entities' | 'caption' | 'caption_entities' | 'forward_origin'>):
  | GivenCommand
  | undefined {
  if (forward_origin !== undefined) return undefined
  const entity = entities.find(({ type, offset }) => type === 'bot_command' && offset === 0)
  if (text === undefined || entity === undefined) return undefined
  const [name = '', bot] = text.slice(1, entity.length).toLowerCase().split('@')
  return { name, bot, argument: text.slice(entity.length).trim() }
}
