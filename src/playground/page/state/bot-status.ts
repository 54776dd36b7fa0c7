import type { WireChat } from '../../web/api.ts'

/** Whether the bot is one of a chat. */
export function isBotIn({ bot_status: status }: WireChat): boolean {
  return status !== 'left' && status !== 'kicked'
}
