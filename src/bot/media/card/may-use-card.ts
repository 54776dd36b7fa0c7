import type { Card } from './card-store.ts'

/** Whether a card is somebody's: its user's, and of a group, which presses no button itself, the bot's admins'. */
export function mayUseCard(
  { user }: Pick<Card, 'user'>,
  { userId, isAdmin }: { userId: number; isAdmin: boolean },
): boolean {
  return user.id === userId || (user.id < 0 && isAdmin)
}
