import type { UserFromGetMe } from 'grammy/types'

const NAME = 'Kopeck'
const USERNAME = 'kopeck_playground_bot'

/** The bot as `getMe` shows it. */
export function describeBot(bot: {
  token: string
  username: string | undefined
  readsAll: boolean
  hasTopics: boolean
}): UserFromGetMe {
  return {
    id: Number(bot.token.split(':')[0]),
    is_bot: true,
    first_name: NAME,
    username: bot.username ?? USERNAME,
    can_join_groups: true,
    can_read_all_group_messages: bot.readsAll,
    supports_inline_queries: false,
    can_connect_to_business: false,
    has_main_web_app: false,
    has_topics_enabled: bot.hasTopics,
    allows_users_to_create_topics: false,
    can_manage_bots: false,
    supports_guest_queries: false,
    supports_join_request_queries: false,
  }
}
