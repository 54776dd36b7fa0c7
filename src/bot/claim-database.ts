/**
 * The statements by which a bot gets its database.
 *
 * Invariant: a database belongs to one bot. The first one stores its id there; any other is refused before it reads or
 * sends anything, and before the database is migrated for it. A bot whose token was replaced keeps its id.
 */
import type pg from 'pg'
import { DatabaseRefusedError } from '../platform/database/database-refused.ts'

/** The bot of a database, or of a start. */
export interface OwnBot {
  id: number
  isPlayground: boolean
}

/** @returns The id of the bot that a token is of: it begins with it, before a colon. */
export function botIdOf(token: string): number {
  return Number(token.split(':')[0])
}

type Sql = Pick<pg.ClientBase, 'query'>

/**
 * Makes sure that a database is not another bot's. It changes nothing, and may look before the database is migrated.
 *
 * @throws {DatabaseRefusedError} If it belongs to another bot.
 */
export async function refuseOtherBot(sql: Sql, bot: OwnBot): Promise<void> {
  const owner = await readOwner(sql)
  if (owner !== undefined && owner.id !== bot.id) {
    throw new DatabaseRefusedError(describeOther(owner, bot))
  }
}

/**
 * Claims a migrated database for a bot. Of two bots that come at once to a database without one, the first gets it.
 *
 * @throws {DatabaseRefusedError} As {@link refuseOtherBot}.
 */
export async function claimDatabase(sql: Sql, bot: OwnBot): Promise<void> {
  await refuseOtherBot(sql, bot)
  const claimed = await sql.query(
    'INSERT INTO bot.owner (bot_id, is_playground) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING',
    [bot.id, bot.isPlayground],
  )
  if (claimed.rowCount === 0) await refuseOtherBot(sql, bot)
}

async function readOwner(sql: Sql): Promise<OwnBot | undefined> {
  if (!(await hasTable(sql, 'bot.owner'))) return undefined
  const { rows } = await sql.query<{ id: string; isPlayground: boolean }>(
    'SELECT bot_id AS id, is_playground AS "isPlayground" FROM bot.owner',
  )
  const [owner] = rows
  return owner && { id: Number(owner.id), isPlayground: owner.isPlayground }
}

async function hasTable(sql: Sql, name: string): Promise<boolean> {
  const { rows } = await sql.query('SELECT to_regclass($1) IS NOT NULL AS "isThere"', [name])
  return rows[0].isThere
}

function describeOther(owner: OwnBot, bot: OwnBot): string {
  const name = owner.isPlayground ? 'the playground' : `bot ${owner.id}`
  const token = bot.isPlayground ? 'not set' : `of bot ${bot.id}`
  return `it belongs to ${name}, and BOT_TOKEN is ${token}; set another DATA_DIR or DATABASE_URL`
}
