import type { PrismaClient } from '../../database/generated/client.ts'

/** From 5 ₽ for the next message on, a reply says so. */
const COST_NOTE_FROM_MICRO_RUB = 5_000_000n

const NAME = 'cost_note_from_micro_rub'
const OFF = 'off'

/** From which price of the next message on a reply tells it: as the admins set it, for all processes. */
export function createCostNote(prisma: Pick<PrismaClient, 'setting'>) {
  return { read, set }

  /** @returns Undefined where no reply is to tell it. */
  async function read(): Promise<bigint | undefined> {
    const stored = await prisma.setting.findUnique({ where: { name: NAME } })
    if (stored === null) return COST_NOTE_FROM_MICRO_RUB
    return stored.value === OFF ? undefined : BigInt(stored.value)
  }

  async function set(fromMicroRub: bigint | undefined): Promise<void> {
    const value = fromMicroRub === undefined ? OFF : String(fromMicroRub)
    const where = { name: NAME }
    await prisma.setting.upsert({ where, create: { ...where, value }, update: { value } })
  }
}

export type CostNote = ReturnType<typeof createCostNote>
