import type { PrismaClient } from '../../database/generated/client.ts'
import { createStoredSettings } from '../stored-settings.ts'

/** From 5 ₽ for the next message on, a reply says so. */
const COST_NOTE_FROM_MICRO_RUB = 5_000_000n

const OFF = 'off'

/** From which price of the next message on a reply tells it: as the admins set it, for all processes. */
export function createCostNote(prisma: Pick<PrismaClient, 'setting' | '$transaction'>) {
  const settings = createStoredSettings<{ fromMicroRub: bigint | undefined }>(prisma, {
    fromMicroRub: {
      name: 'cost_note_from_micro_rub',
      initial: COST_NOTE_FROM_MICRO_RUB,
      parse: (text) => (text === OFF ? undefined : BigInt(text)),
      format: (microRub) => (microRub === undefined ? OFF : String(microRub)),
    },
  })
  return { read, set }

  /** @returns Undefined where no reply is to tell it. */
  async function read(): Promise<bigint | undefined> {
    return (await settings.read()).fromMicroRub
  }

  function set(fromMicroRub: bigint | undefined, by: { adminId: number }): Promise<void> {
    return settings.set({ fromMicroRub }, by)
  }
}

export type CostNote = ReturnType<typeof createCostNote>
