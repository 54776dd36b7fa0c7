import { randomBytes } from 'node:crypto'
import { API_CONSTANTS } from 'grammy'
import type { ChatMember, User, UserFromGetMe } from 'grammy/types'
import type { BotStatus } from '../state.ts'

/** An id that no bot has in Telegram; those after it are as free. */
export const BOT_ID = 7_000_000_001
const NAME = 'Kopeck'
const USERNAME = 'kopeck_playground_bot'

const RIGHTS = [
  'can_manage_chat',
  'can_delete_messages',
  'can_restrict_members',
  'can_promote_members',
  'can_change_info',
  'can_invite_users',
  'can_pin_messages',
  'can_manage_topics',
]

export interface BotOptions {
  /** Default false. */
  topicsInPrivateChats?: boolean
}

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

export function toBotMember(status: BotStatus, user: User): ChatMember {
  const all = (names: readonly string[], value: boolean) =>
    Object.fromEntries(names.map((name) => [name, value]))
  const permissions = Object.keys(API_CONSTANTS.ALL_CHAT_PERMISSIONS)
  const facts = {
    member: {},
    left: {},
    kicked: { until_date: 0 },
    restricted: { is_member: true, until_date: 0, ...all(permissions, false) },
    administrator: { can_be_edited: false, is_anonymous: false, ...all(RIGHTS, true) },
  }
  // The names of rights are those of the Bot API, which no type follows through a list.
  return { status, user, ...facts[status] } as ChatMember
}
