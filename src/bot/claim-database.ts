/**
 * Refuses a database that belongs to another bot.
 *
 * Invariant: a database belongs to the first bot that starts on it. Another bot is refused before it reads or sends
 * anything, and before the database is migrated for it. A bot whose token was replaced keeps its id.
 */
import type pg from 'pg'
import { DatabaseRefusedError } from '../platform/database/database-refused.ts'

export type OwnBot = number | 'playground'

/** Returns the bot of a token, which begins with the bot's id and a colon. */
export function ownBotOf(token: string | undefined): OwnBot {
  return token === undefined ? 'playground' : Number(token.split(':')[0])
}

type Sql = Pick<pg.ClientBase, 'query'>

/**
 * Checks that a database is not another bot's. Changes nothing, and works before the migration.
 *
 * @throws {DatabaseRefusedError} If it belongs to another bot.
 */
export async function refuseOtherBot(sql: Sql, bot: OwnBot): Promise<void> {
  const { rows: tables } = await sql.query("SELECT to_regclass('bot.setting') AS setting")
  if (tables[0]?.setting === null) return
  const { rows } = await sql.query("SELECT value FROM bot.setting WHERE name = 'bot'")
  const owner: string | undefined = rows[0]?.value
  if (owner === undefined || owner === String(bot)) return
  const name = owner === 'playground' ? 'the playground' : `bot ${owner}`
  const token = bot === 'playground' ? 'not set' : `of bot ${bot}`
  throw new DatabaseRefusedError(
    `it belongs to ${name}, and BOT_TOKEN is ${token}; set another DATA_DIR or DATABASE_URL`,
  )
}

/**
 * Claims a migrated database for a bot; the first of two concurrent bots succeeds.
 *
 * @throws {DatabaseRefusedError} As {@link refuseOtherBot}.
 */
export async function claimDatabase(sql: Sql, bot: OwnBot): Promise<void> {
  const value = String(bot)
  const claim = "INSERT INTO bot.setting (name, value) VALUES ('bot', $1) ON CONFLICT DO NOTHING"
  await sql.query(claim, [value])
  await refuseOtherBot(sql, bot)
}
