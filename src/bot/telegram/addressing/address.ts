import type { Message, MessageEntity, UserFromGetMe } from 'grammy/types'
import { readCommand } from './read-command.ts'

/** How a message in a group is meant for the bot. `bare_command`: one that names no bot. */
export type Address = 'command' | 'bare_command' | 'mention' | 'reply'

export type Me = Pick<UserFromGetMe, 'id' | 'username'>

/** Reads how a message in a group is meant for the bot; undefined where it is not. */
export function readAddress(message: Message, me: Me): Address | undefined {
  const command = readCommand(message)
  if (command !== undefined) {
    if (command.bot === undefined) return 'bare_command'
    return command.bot === me.username.toLowerCase() ? 'command' : undefined
  }
  if (findMentions(message, me).length > 0) return 'mention'
  return isReplyTo(message, me) ? 'reply' : undefined
}

/**
 * The text or the caption of a message without the bot's own name, which is an address and no part of the question.
 *
 * Signs around the name go with it: "@bot, what is this?" asks "what is this?".
 */
export function withoutMentions(message: Message, me: Me): string {
  let text = message.text ?? message.caption ?? ''
  for (const { offset, length } of findMentions(message, me).reverse()) {
    const before = text.slice(0, offset)
    const after = text.slice(offset + length)
    const isFirst = before.trim() === ''
    const isClosed = /^\s*([.!?]|$)/.test(after)
    if (isFirst) text = after.replace(/^[\s,:;.!—–-]+/, '')
    else if (isClosed) text = before.replace(/[\s,]+$/, '') + after.trimStart()
    else text = before + after.replace(/^[^\S\n]+/, '')
  }
  return text.trim()
}

function findMentions(message: Message, me: Me): MessageEntity[] {
  const text = message.text ?? message.caption ?? ''
  const entities = message.entities ?? message.caption_entities ?? []
  const name = `@${me.username.toLowerCase()}`
  return entities.filter((entity) => {
    if (entity.type === 'text_mention') return entity.user.id === me.id
    const { offset, length } = entity
    return entity.type === 'mention' && text.slice(offset, offset + length).toLowerCase() === name
  })
}

/** Every message in a topic is a reply to the one that opened it, which asks nothing of the bot. */
function isReplyTo({ reply_to_message: original }: Message, me: Me): boolean {
  return original?.from?.id === me.id && original.forum_topic_created === undefined
}
