import type { PrismaClient } from '../../platform/database/generated/client.ts'
import { cached } from '../../platform/time/cached.ts'
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
  const forAll = cached(async () => (await settings.read()).costNote)
  return { ofUser, ofAll: forAll.read, choose, setForAll }

  async function ofUser(userId: bigint | number): Promise<{ note: CostNote; isOwn: boolean }> {
    const where = { id: userId }
    const [user, all] = await Promise.all([
      prisma.user.findUnique({ where, select: { costNote: true } }),
      forAll.read(),
    ])
    const own = user?.costNote ?? null
    return { note: own === null ? all : parseCostNote(own), isOwn: own !== null }
  }

  /** @param note Undefined: as the admins set it. */
  async function choose(userId: number, note: CostNote | undefined): Promise<void> {
    const costNote = note === undefined ? null : String(note)
    await prisma.user.update({ where: { id: userId }, data: { costNote } })
  }

  async function setForAll(costNote: CostNote, by: { adminId: number }): Promise<void> {
    await settings.set({ costNote }, by)
    forAll.evict()
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
