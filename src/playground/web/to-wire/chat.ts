import { suggestedCommands } from '../../control/suggested-commands.ts'
import { menuButtonOf } from '../../methods/menu-button.ts'
import type { StoredMessage } from '../../world/message.ts'
import type { StoredChat } from '../../world/world.ts'
import type { WireChat, WireMessage } from '../api.ts'
import type { WebDeps } from '../web-deps.ts'
import { toWireMessage } from './message.ts'

const MESSAGES_MAX = 50
/** They are shared by its topics. */
const FORUM_MESSAGES_MAX = 200

export type ChatDeps = Pick<WebDeps, 'world' | 'commandLists' | 'menuButtons'>

/** A private chat is its owner's alone. */
export function isIn({ id, type, members }: StoredChat, userId: number): boolean {
  return type === 'private' ? id === userId : members.has(userId)
}

/** The chats that a person sees. */
export function chatsOf(userId: number, { world }: Pick<ChatDeps, 'world'>): StoredChat[] {
  return [...world.chats.values()].filter((chat) => isIn(chat, userId))
}

/** A chat as one of its people sees it. */
export function toWireChat(chat: StoredChat, userId: number, deps: ChatDeps): WireChat {
  const { world, commandLists, menuButtons } = deps
  const { user, started, blockedBot } = world.personOf(userId)
  const isPrivate = chat.type === 'private'
  const languageCode = user.language_code
  return {
    chat: chat.shown,
    topics: Array.from(chat.topics, ([threadId, { name, isClosed }]) => ({
      thread_id: threadId,
      name,
      is_closed: isClosed,
    })),
    members: [...chat.members],
    is_started: !isPrivate || started,
    is_blocked: isPrivate && blockedBot,
    bot_status: chat.botStatus,
    commands: suggestedCommands(commandLists, { chat, userId, languageCode }),
    menu_button: isPrivate ? menuButtonOf(userId, menuButtons) : { type: 'default' },
    pinned: chat.pinned,
  }
}

/** The messages at the end of a chat, or those before one of them; of one topic or of all. */
export function pageOf(
  chat: StoredChat,
  { world }: Pick<ChatDeps, 'world'>,
  {
    before = Number.POSITIVE_INFINITY,
    threadId,
  }: { before?: number; threadId?: number | undefined } = {},
): { messages: WireMessage[]; has_more: boolean } {
  const max = chat.isForum && threadId === undefined ? FORUM_MESSAGES_MAX : MESSAGES_MAX
  const found = [...chat.messages.values()].filter(
    (message) => message.id < before && (threadId === undefined || isInThread(message, threadId)),
  )
  return {
    messages: found.slice(-max).map((message) => toWireMessage(message, world)),
    has_more: found.length > max,
  }
}

/** General has no messages with a thread. */
function isInThread(message: StoredMessage, threadId: number): boolean {
  return (message.threadId ?? 0) === threadId
}
