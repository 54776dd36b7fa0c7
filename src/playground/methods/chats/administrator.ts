import { badRequest } from '../../wire/envelope.ts'
import type { StoredChat } from '../../world/world.ts'

/** An administrator may do everything but what only the owner may; a plain bot may change nothing. */
export function requireAdministrator(chat: StoredChat, complaint: string): void {
  if (chat.botStatus !== 'administrator') throw badRequest(complaint)
}
