import type { BotCommand, BotCommandScope } from 'grammy/types'
import type { CommandList } from '../methods/method.ts'
import { ownerOf } from '../world/members.ts'
import type { StoredChat } from '../world/world.ts'

/**
 * The commands that a person is suggested in a chat: of the lists that were set, the one of the narrowest scope,
 * and there the one of their language before the one of no language.
 *
 * @see https://core.telegram.org/bots/api#determining-list-of-commands
 */
export function suggestedCommands(
  lists: ReadonlyMap<string, CommandList>,
  {
    chat,
    userId,
    languageCode = '',
  }: { chat: StoredChat; userId: number; languageCode?: string | undefined },
): BotCommand[] {
  for (const scope of scopesOf(chat, userId)) {
    for (const language of [languageCode, '']) {
      const found = lists.get(commandListKey(scope, language))
      if (found) return found.commands
    }
  }
  return []
}

/** The key of the list of a scope and a language. */
function commandListKey(scope: BotCommandScope, languageCode: string): string {
  return JSON.stringify([scope, languageCode])
}

function scopesOf(chat: StoredChat, userId: number): BotCommandScope[] {
  const { id, type, statuses } = chat
  const ofChat = { type: 'chat', chat_id: id } as const
  if (type === 'private') return [ofChat, { type: 'all_private_chats' }, { type: 'default' }]
  const isAdmin = userId === ownerOf(chat) || statuses.get(userId)?.status === 'administrator'
  return [
    { type: 'chat_member', chat_id: id, user_id: userId },
    ...(isAdmin ? [{ type: 'chat_administrators', chat_id: id } as const] : []),
    ofChat,
    ...(isAdmin ? [{ type: 'all_chat_administrators' } as const] : []),
    { type: 'all_group_chats' },
    { type: 'default' },
  ]
}
