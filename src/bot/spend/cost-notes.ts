import type { PrismaClient } from '../../platform/database/generated/client.ts'
import type { Notifications } from '../../platform/database/instance/notifications.ts'
import { createRememberedRows } from '../../platform/database/remembered-rows.ts'
import { createStoredSettings } from '../settings/stored-settings.ts'

/** The cost from which answers show it, in micro-roubles; 0 is always. */
export type CostNote = bigint | 'off'

const INITIAL: CostNote = 5_000_000n

/** Decides which answers show costs: as their user chose, or as the admins set it for everybody; for all processes. */
export function createCostNotes(prisma: Pick<PrismaClient, 'user' | 'setting' | '$transaction'>) {
  const settings = createStoredSettings<{ costNote: CostNote }>(prisma, {
    costNote: {
      name: 'cost_note_from_micro_rub',
      initial: INITIAL,
      parse: parseCostNote,
      format: String,
    },
  })
  return { ofUser, ofAll, choose, setForAll }

  async function ofUser(userId: bigint | number): Promise<{ note: CostNote; isOwn: boolean }> {
    const where = { id: userId }
    const [user, all] = await Promise.all([
      prisma.user.findUnique({ where, select: { costNote: true } }),
      ofAll(),
    ])
    const own = user?.costNote ?? null
    return { note: own === null ? all : parseCostNote(own), isOwn: own !== null }
  }

  async function ofAll(): Promise<CostNote> {
    return (await settings.read()).costNote
  }

  /** @param note Undefined: as the admins set it. */
  async function choose(userId: number, note: CostNote | undefined): Promise<void> {
    const costNote = note === undefined ? null : String(note)
    await prisma.user.update({ where: { id: userId }, data: { costNote } })
  }

  function setForAll(costNote: CostNote, by: { adminId: number }): Promise<void> {
    return settings.set({ costNote }, by)
  }
}

export type CostNotes = ReturnType<typeof createCostNotes>

/** Checks whether an answer shows a cost. One that is zero or unknown is not shown. */
export function isShown(amountMicroRub: bigint, note: CostNote): boolean {
  return amountMicroRub > 0n && note !== 'off' && amountMicroRub >= note
}

function parseCostNote(text: string): CostNote {
  return text === 'off' ? text : BigInt(text)
}

const USERS_MAX = 10_000

/**
 * Remembers the notes, for a reader that asks with every answer. For a moment after a change it may give the old ones.
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
