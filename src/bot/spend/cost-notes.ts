import type { PrismaClient } from '../../platform/database/generated/client.ts'
import { createStoredSettings } from '../stored-settings.ts'

/** The cost from which answers show it, in micro-roubles; 0 is always. */
export type CostNote = bigint | 'off'

export interface NotedTurn {
  /** As it was when the turn began or was read; undefined: the note for everybody is to be read. */
  costNote?: CostNote | undefined
}

const INITIAL: CostNote = 5_000_000n

/** The name of the setting for everybody. */
export const COST_NOTE_SETTING = 'cost_note_from_micro_rub'

/** Decides which answers show costs: as their user chose, or as the admins set it for everybody; for all processes. */
export function createCostNotes(prisma: Pick<PrismaClient, 'user' | 'setting' | '$transaction'>) {
  const settings = createStoredSettings<{ costNote: CostNote }>(prisma, {
    costNote: {
      name: COST_NOTE_SETTING,
      initial: INITIAL,
      parse: parseCostNote,
      format: String,
    },
  })
  return { ofTurn, ofUser, ofAll, choose, setForAll }

  async function ofTurn({ costNote }: NotedTurn): Promise<CostNote> {
    return costNote ?? (await ofAll())
  }

  async function ofAll(): Promise<CostNote> {
    return (await settings.read()).costNote
  }

  async function ofUser(userId: bigint | number): Promise<{ note: CostNote; isOwn: boolean }> {
    const where = { id: userId }
    const [user, all] = await Promise.all([
      prisma.user.findUnique({ where, select: { costNote: true } }),
      ofAll(),
    ])
    const own = user?.costNote ?? null
    return { note: own === null ? all : parseCostNote(own), isOwn: own !== null }
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

/** @param text As it is stored; null if neither the user nor an admin chose one. */
export function parseCostNote(text: string | null): CostNote {
  if (text === null) return INITIAL
  return text === 'off' ? text : BigInt(text)
}
