import type { ReactionType } from 'grammy/types'
import type { WireMessage } from '../../web/api.ts'
import { attempt } from '../dialogs/attempt.ts'
import { act } from '../request.ts'
import { route } from '../route.ts'
import type { ChatState } from '../state/chat-state.ts'
import type { MessageScope } from './message-scope.ts'

/** Says something in the chat, as if it had been typed: a command that was pressed. */
export function sendText({ chat, threadId }: MessageScope, text: string): Promise<boolean> {
  const thread = threadId === 0 ? {} : { thread_id: threadId }
  return attempt(() => act('/chats/:id/messages', { text, ...thread }, chat.id))
}

/** Stops the draft that shows in a chat or topic. */
export function stopDraft(chat: ChatState, threadId: number): Promise<boolean> {
  const thread = threadId === 0 ? {} : { thread_id: threadId }
  return attempt(() => act('/chats/:id/stops', thread, chat.id))
}

/** Deletes messages for everybody. */
export function deleteMessages(chat: ChatState, ids: readonly number[]): Promise<boolean> {
  return attempt(() => act('/chats/:id/deletions', { message_ids: [...ids] }, chat.id))
}

/** Gives a reaction, or takes it back where the person has given the same. */
export function toggleReaction(
  chat: ChatState,
  wire: WireMessage,
  reaction: ReactionType,
): Promise<boolean> {
  const isOwn = wire.reactions.some(
    (given) => given.user_id === route.value.as && isSame(given.reaction, reaction),
  )
  const chosen = isOwn ? {} : { reaction }
  const body = { message_id: wire.message.message_id, ...chosen }
  return attempt(() => act('/chats/:id/reactions', body, chat.id))
}

/** Checks whether two reactions are the same. */
function isSame(one: ReactionType, other: ReactionType): boolean {
  return keyOfReaction(one) === keyOfReaction(other)
}

/** Returns a key that only equal reactions share. */
export function keyOfReaction(reaction: ReactionType): string {
  switch (reaction.type) {
    case 'emoji':
      return reaction.emoji
    case 'custom_emoji':
      return reaction.custom_emoji_id
    default:
      return reaction.type
  }
}
