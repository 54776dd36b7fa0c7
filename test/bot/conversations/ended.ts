import type { BotSetup } from '../bot-setup.ts'

const TIMEOUT_MS = 25_000
const LOOK_EVERY_MS = 25

const ENDED = `
  SELECT (SELECT count(*) FROM bot.turn
      WHERE ended_at IS NOT NULL AND lease_owner IS NULL AND ($2::bigint IS NULL OR chat_id = $2)) = $1
    AND NOT EXISTS (SELECT FROM bot.update
      WHERE handled_at IS NULL AND ($2 IS NULL OR thread_key LIKE $2 || ' %')) AS ended`

/** Waits until that many turns, of one chat or of all, have ended, their replies shown, their costs known, and every update handled. */
export async function ended({ database }: BotSetup, count = 1, chatId?: number): Promise<void> {
  await until(async () => (await database.pool.query(ENDED, [count, chatId])).rows[0].ended)
}

/** The turns of one chat, or all, with their messages and charges, oldest first. */
export function turns({ database }: BotSetup, chatId?: number) {
  return database.prisma.turn.findMany({
    where: { ...(chatId !== undefined && { chatId }) },
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
