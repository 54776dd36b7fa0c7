import type { PrismaClient } from '../../platform/database/generated/client.ts'
import { type CostNote, parseCostNote, StoredSettings } from '../stored-settings.ts'

export interface NotedTurn {
  /** As it was when the turn began or was read; undefined: the note for everybody is to be read. */
  costNote?: CostNote | undefined
}

/** The user's choice, else the admins' setting for everybody; for all processes. */
export function createCostNotes(prisma: Pick<PrismaClient, 'user' | 'setting' | '$transaction'>) {
  const settings = new StoredSettings(prisma)
  return { ofTurn, ofUser, choose }

  async function ofTurn({ costNote }: NotedTurn): Promise<CostNote> {
    return costNote ?? (await ofAll())
  }

  async function ofAll(): Promise<CostNote> {
    return (await settings.read()).costNote
  }

  async function ofUser(userId: bigint | number): Promise<{ note: CostNote; isOwn: boolean }> {
    const where = { id: userId }
    const user = await prisma.user.findUnique({ where, select: { costNote: true } })
    const own = user?.costNote ?? null
    return { note: own === null ? await ofAll() : parseCostNote(own), isOwn: own !== null }
  }

  /** @param note Undefined: as the admins set it. */
  async function choose(userId: number, note: CostNote | undefined): Promise<void> {
    const costNote = note === undefined ? null : String(note)
    await prisma.user.update({ where: { id: userId }, data: { costNote } })
  }
}

export type CostNotes = ReturnType<typeof createCostNotes>

/** A cost of zero or unknown is not shown. */
export function isShown(amountMicroRub: bigint, note: CostNote): boolean {
  return amountMicroRub > 0n && note !== 'off' && amountMicroRub >= note
}
