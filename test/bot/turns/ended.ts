import type { BotSetup } from '../bot-setup.ts'

const TIMEOUT_MS = 25_000
const LOOK_EVERY_MS = 10

/** Waits until that many turns have ended, their replies shown and every update handled. */
export async function ended(setup: BotSetup, count = 1): Promise<void> {
  await until(async () => {
    const { turn, update } = setup.database.prisma
    const shown = await turn.count({ where: { endedAt: { not: null } } })
    return shown === count && (await update.count({ where: { handledAt: null } })) === 0
  })
}

/** All turns with their messages and charges, oldest first. */
export function turns({ database }: BotSetup) {
  return database.prisma.turn.findMany({
    orderBy: { id: 'asc' },
    include: { messages: { orderBy: { id: 'asc' } }, charge: true },
  })
}

/** Looks into the database until it is as it should be: it tells nobody of its changes. */
export async function until(look: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + TIMEOUT_MS; Date.now() < deadline; ) {
    if (await look()) return
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
  throw new Error('What was waited for did not happen')
}
