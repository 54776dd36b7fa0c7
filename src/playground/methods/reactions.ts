import type { ReactionType, ReactionTypeEmoji } from 'grammy/types'
import { isJsonObject } from '../../platform/http/json.ts'
import { badRequest } from '../wire/envelope.ts'
import { idOf, jsonOf, type Params, textOf } from '../wire/params.ts'
import type { Method } from './method.ts'

/** The reactions that can be chosen where a chat does not narrow them. */
const EMOJI: readonly string[] = [
  ...['👍', '👎', '❤', '🔥', '🥰', '👏', '😁', '🤔', '🤯', '😱', '🤬', '😢', '🎉', '🤩', '🤮'],
  ...['💩', '🙏', '👌', '🕊', '🤡', '🥱', '🥴', '😍', '🐳', '❤‍🔥', '🌚', '🌭', '💯', '🤣', '⚡'],
  ...['🍌', '🏆', '💔', '🤨', '😐', '🍓', '🍾', '💋', '🖕', '😈', '😴', '😭', '🤓', '👻', '👨‍💻'],
  ...['👀', '🎃', '🙈', '😇', '😨', '🤝', '✍', '🤗', '🫡', '🎅', '🎄', '☃', '💅', '🤪', '🗿'],
  ...['🆒', '💘', '🙉', '🦄', '😘', '💊', '🙊', '😎', '👾', '🤷‍♂', '🤷', '🤷‍♀', '😡'],
]
/** Bots choose as people without a subscription do. */
const REACTIONS_MAX = 1

/** Replaces the last reaction by another one; an empty list takes it back. */
const setMessageReaction: Method = ({ params }, { world }) => {
  const chosen = readReactions(params)
  const chat = world.accessChat(textOf(params, 'chat_id'), 'read')
  const message = chat.messages.get(idOf(params, 'message_id'))
  if (message === undefined) throw badRequest('message to react not found')
  if (chosen.length > REACTIONS_MAX) throw badRequest('REACTIONS_TOO_MANY')
  // Custom emoji are there only where a chat allows them, which none does here.
  const isKnown = chosen.every((one) => one.type === 'emoji' && EMOJI.includes(one.emoji))
  if (!isKnown) throw badRequest('REACTION_INVALID')
  world.react(message, world.bot.id, chosen)
  return { result: true }
}

function readReactions(params: Params): ReactionType[] {
  const value = jsonOf(params, 'reaction', "can't parse reaction types JSON object") ?? []
  if (!Array.isArray(value)) throw badRequest('expected an Array of ReactionType')
  return value.map(readReaction)
}

function readReaction(value: unknown): ReactionType {
  const complaint = (why: string) => badRequest(`can't parse ReactionType: ${why}`)
  if (!isJsonObject(value)) throw complaint('expected an Object')
  const { type, emoji, custom_emoji_id: id } = value
  if (type === undefined) throw complaint(`Can't find field "type"`)
  if (type === 'paid') return { type }
  if (type === 'emoji') {
    if (typeof emoji !== 'string') throw complaint(`Can't find field "emoji"`)
    // Whether it is one of those that can be chosen is looked at later, as the server does.
    return { type, emoji: emoji as ReactionTypeEmoji['emoji'] }
  }
  if (type !== 'custom_emoji') throw complaint('invalid reaction type specified')
  if (id === undefined) throw complaint(`Can't find field "custom_emoji_id"`)
  return { type, custom_emoji_id: String(id) }
}

export const reactionMethods = { setMessageReaction }
