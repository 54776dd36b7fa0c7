/** What the bot listens to. Telegram keeps an older list unless it is told one. */
export const ALLOWED_UPDATES = [
  'message',
  'edited_message',
  'callback_query',
  'stopped_message_generation',
] as const
