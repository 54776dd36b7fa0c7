import { randomBytes } from 'node:crypto'
import { API_CONSTANTS } from 'grammy'
import type { ChatMember, User, UserFromGetMe } from 'grammy/types'
import type { BotStatus } from '../state.ts'

/** An id that no bot has in Telegram; those after it are as free. */
export const BOT_ID = 7_000_000_001
const NAME = 'Kopeck'
const USERNAME = 'kopeck_playground_bot'

const PERMISSIONS = Object.keys(API_CONSTANTS.ALL_CHAT_PERMISSIONS)
const NO_PERMISSIONS = Object.fromEntries(PERMISSIONS.map((name) => [name, false])) as Record<
  keyof typeof API_CONSTANTS.ALL_CHAT_PERMISSIONS,
  false
>

export interface BotOptions {
  /** Default false. */
  topicsInPrivateChats?: boolean
}

/** Makes the token of a playground that was given none. */
export function makeToken(botId = BOT_ID): string {
  return `${botId}:${randomBytes(26).toString('base64url')}`
}

/** The bot as `getMe` shows it. */
export function describeBot(token: string, options: BotOptions): UserFromGetMe {
  return {
    id: Number(token.split(':')[0]),
    is_bot: true,
    first_name: NAME,
    username: USERNAME,
    can_join_groups: true,
    can_read_all_group_messages: false,
    supports_inline_queries: false,
    can_connect_to_business: false,
    has_main_web_app: false,
    has_topics_enabled: options.topicsInPrivateChats ?? false,
    allows_users_to_create_topics: false,
    can_manage_bots: false,
    supports_guest_queries: false,
    supports_join_request_queries: false,
  }
}

/** The bot as a member of a chat. An administrator may do everything there, a restricted one read. */
export function toBotMember(status: BotStatus, user: User): ChatMember {
  switch (status) {
    case 'member':
    case 'left':
      return { status, user }
    case 'kicked':
      return { status, user, until_date: 0 }
    case 'restricted':
      return {
        status,
        user,
        is_member: true,
        ...NO_PERMISSIONS,
        until_date: 0,
      }
    case 'administrator':
      return {
        status,
        user,
        can_be_edited: false,
        is_anonymous: false,
        can_manage_chat: true,
        can_delete_messages: true,
        can_manage_video_chats: true,
        can_restrict_members: true,
        can_promote_members: true,
        can_change_info: true,
        can_invite_users: true,
        can_post_stories: true,
        can_edit_stories: true,
        can_delete_stories: true,
        can_pin_messages: true,
        can_manage_topics: true,
        can_send_welcome_messages: true,
      }
  }
}
