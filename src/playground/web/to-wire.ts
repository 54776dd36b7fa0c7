import type { BotCommand, BotCommandScope, Message, User } from 'grammy/types'
import { writeCommand } from '../../platform/installation.ts'
import { menuButtonOf } from '../methods/bot-settings.ts'
import type { State, StoredChat, StoredMessage } from '../state.ts'
import { toMessage } from '../world/to-message.ts'
import type { World } from '../world/world.ts'
import type { HistoryAnswer, WireBot, WireChat, WireMessage } from './api.ts'
import type { WebDeps } from './web-deps.ts'

const MESSAGES_MAX = 50
const FORUM_MESSAGES_MAX = 200

/** Checks membership; a private chat belongs to its user alone. */
export function isIn({ id, type, members }: StoredChat, userId: number): boolean {
  return type === 'private' ? id === userId : members.has(userId)
}

export function chatsOf(userId: number, { world }: WebDeps): StoredChat[] {
  return [...world.chats.values()].filter((chat) => isIn(chat, userId))
}

export function toWireChat(chat: StoredChat, userId: number, deps: WebDeps): WireChat {
  const { world, state, clock } = deps
  const { action } = chat
  const isTyping = action !== undefined && clock.date().getTime() < action.visibleUntil
  const { user, started, blockedBot } = world.personOf(userId)
  const isPrivate = chat.type === 'private'
  return {
    chat: chat.shown,
    topics: Array.from(chat.topics, ([threadId, { name }]) => ({ thread_id: threadId, name })),
    members: [...chat.members],
    is_started: !isPrivate || started,
    is_blocked: isPrivate && blockedBot,
    bot_status: chat.botStatus,
    commands: suggestedCommands(state, chat, user),
    menu_button: isPrivate ? menuButtonOf(userId, state.menuButtons) : { type: 'default' },
    typing: isTyping ? [action.threadId] : [],
  }
}

/**
 * Returns the commands that a person is suggested in a chat: the list of the narrowest scope, in the person's language
 * if there is one.
 *
 * @see https://core.telegram.org/bots/api#determining-list-of-commands
 */
function suggestedCommands({ commandLists }: State, chat: StoredChat, user: User): BotCommand[] {
  const scopes: BotCommandScope[] = [
    { type: 'chat', chat_id: chat.id },
    { type: chat.type === 'private' ? 'all_private_chats' : 'all_group_chats' },
    { type: 'default' },
  ]
  for (const scope of scopes) {
    for (const language of [user.language_code ?? '', '']) {
      const found = commandLists.get(JSON.stringify([scope, language]))
      if (found) return found.commands
    }
  }
  return []
}

/** The messages at the end of a chat, or those before one of them. */
export function pageOf(
  chat: StoredChat,
  { world }: WebDeps,
  before = Number.POSITIVE_INFINITY,
): HistoryAnswer {
  const max = chat.isForum ? FORUM_MESSAGES_MAX : MESSAGES_MAX
  const found = [...chat.messages.values()].filter(({ id }) => id < before)
  return {
    messages: found.slice(-max).map((message) => toWireMessage(message, world)),
    has_more: found.length > max,
  }
}

/** A message with what the Bot API does not show of it. */
export function toWireMessage(message: StoredMessage, world: World): WireMessage {
  const { replyMarkup } = message
  const shown = toMessage(message, world)
  const isAsking = replyMarkup !== undefined && !('inline_keyboard' in replyMarkup)
  return isAsking ? { message: shown, keyboard: replyMarkup } : { message: shown }
}

export function toWireMessages(messages: readonly Message[], world: World): WireMessage[] {
  return messages.flatMap(({ chat, message_id: messageId }) => {
    const stored = world.chatOf(chat.id).messages.get(messageId)
    return stored ? [toWireMessage(stored, world)] : []
  })
}

/** The bot as a person sees it, in the person's language if the bot has texts in it. */
export function toWireBot(languageCode: string, deps: WebDeps): WireBot {
  const { world, state, files, isDemo } = deps
  const textOf = (field: string) =>
    state.profile.get(`${field} ${languageCode}`) ?? state.profile.get(`${field} `)
  return {
    me: { ...world.me, first_name: textOf('name') ?? world.me.first_name },
    description: textOf('description') ?? '',
    file_bytes_max: files.sentBytesMax,
    setup_command: isDemo() ? writeCommand('setup') : null,
  }
}
