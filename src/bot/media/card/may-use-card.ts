import type { Sender } from '../../telegram/addressing/sender.ts'
import type { Card } from './card-store.ts'

/** Whether a card is somebody's: its user's, and of a group, which presses no button itself, the bot's admins'. */
export function mayUseCard(
  { user }: Pick<Card, 'user'>,
  { id, role }: Pick<Sender, 'id' | 'role'>,
): boolean {
  return user.id === id || (user.id < 0 && role === 'admin')
}
