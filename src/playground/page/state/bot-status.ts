import type { WireChat } from '../../web/api.ts'

/** Checks whether the bot is a member of a chat. */
export function isBotIn({ bot_status: status }: WireChat): boolean {
  return status !== 'left' && status !== 'kicked'
}
