import type { BotSetup } from '../../bot-setup.ts'

const TIMEOUT_MS = 25_000
const LOOK_EVERY_MS = 25

const ENDED = `
  SELECT (SELECT count(*) FROM bot.turn WHERE ended_at IS NOT NULL) = $1
    AND NOT EXISTS (SELECT FROM bot.update WHERE handled_at IS NULL) AS ended`

/** Waits until that many turns have ended, their replies shown and every update handled. */
export async function ended({ database }: BotSetup, count = 1): Promise<void> {
  await until(async () => (await database.pool.query(ENDED, [count])).rows[0].ended)
}

/** All turns with their messages and charges, oldest first. */
export function turns({ database }: BotSetup) {
  return database.prisma.turn.findMany({
    orderBy: { id: 'asc' },
    include: { messages: { orderBy: { id: 'asc' } }, charge: { orderBy: { id: 'asc' } } },
  })
}

/** Looks into the database until it is as it should be: it reports its changes to nobody. */
export async function until(look: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + TIMEOUT_MS; Date.now() < deadline; ) {
    if (await look()) return
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
  throw new Error('What was waited for did not happen')
}
