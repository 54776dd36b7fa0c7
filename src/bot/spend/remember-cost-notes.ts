import type { Notifications } from '../../platform/database/notifications.ts'
import { createRememberedRows } from '../../platform/database/remembered-rows.ts'
import type { CostNote, CostNotes } from './cost-notes.ts'

const USERS_MAX = 10_000

/**
 * The same notes for who asks with every answer: a moment after somebody chose another one they may be the old ones.
 */
export function rememberCostNotes(
  costNotes: Pick<CostNotes, 'ofUser' | 'ofAll'>,
  notifications: Pick<Notifications, 'listen'>,
): Pick<CostNotes, 'ofUser'> {
  const ofUsers = createRememberedRows<Awaited<ReturnType<CostNotes['ofUser']>>>(
    { notifications, channel: 'bot.user' },
    { rowsMax: USERS_MAX },
  )
  const forAll = createRememberedRows<CostNote>(
    { notifications, channel: 'bot.setting' },
    { rowsMax: 1 },
  )
  return { ofUser }

  async function ofUser(userId: bigint | number) {
    const own = await ofUsers.read(String(userId), () => costNotes.ofUser(userId))
    return own.isOwn ? own : { note: await forAll.read('', costNotes.ofAll), isOwn: false }
  }
}
