/**
 * The statements by which a bot gets its database.
 *
 * Invariant: a database belongs to one bot. The first one stores its id there; any other is refused before it reads or
 * sends anything, and before the database is migrated for it. A bot whose token was replaced keeps its id.
 */
import type pg from 'pg'
import { DatabaseRefusedError } from '../platform/database/server/database-refused.ts'
import { writeCommand } from '../platform/write-command.ts'

/** The bot of a database, or of a start. */
export interface OwnBot {
  id: number
  /** True if the playground stands in for Telegram. */
  isPlayground: boolean
}

/** @returns The id of the bot that a token is of: it begins with it, before a colon. */
export function botIdOf(token: string): number {
  return Number(token.split(':')[0])
}

/** The people of a playground count from 1001; of Telegram's users only a few of its oldest have ids so low. */
const PLAYGROUND_USER_ID_MAX = 9_999

/** A process that has not renewed its lease for so long is taken for dead. */
const LIVING_FOR = '10 seconds'

type Sql = Pick<pg.ClientBase, 'query'>

/**
 * Makes sure that a database is not another bot's. It changes nothing, and may look before the database is migrated.
 *
 * @throws {DatabaseRefusedError} If it belongs to another bot, or if a playground would get a database that belongs to
 *   none yet, in which there are users of Telegram.
 */
export async function refuseOtherBot(sql: Sql, bot: OwnBot): Promise<void> {
  const owner = await readOwner(sql)
  if (owner === undefined) {
    if (!bot.isPlayground || !(await hasTelegramUsers(sql))) return
    throw new DatabaseRefusedError(
      'users of Telegram have written to its bot, and BOT_TOKEN is not set; set it, or set another DATA_DIR or DATABASE_URL for the playground',
    )
  }
  if (owner.id !== bot.id) throw new DatabaseRefusedError(describeOther(owner, bot))
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

/**
 * Gives a migrated database to a bot, no matter which bot had it. What the bot before knew of itself in Telegram is forgotten: its
 * updates, the texts and buttons that it had set, how long it was to wait. What users wrote and what it cost stays.
 *
 * @throws {DatabaseRefusedError} If a process of the bot before is alive, or was until seconds ago.
 */
export async function takeOverDatabase(sql: Sql, bot: OwnBot): Promise<void> {
  const living = await sql.query(
    `SELECT FROM public.instance
     WHERE 'bot' = ANY (works)
       AND beat_at BETWEEN now() - interval '${LIVING_FOR}' AND now() + interval '${LIVING_FOR}'`,
  )
  if (living.rowCount !== 0) {
    throw new DatabaseRefusedError(
      `a bot runs on it, or did ${LIVING_FOR} ago; stop it, and try again`,
    )
  }
  await sql.query(
    `WITH updates AS (DELETE FROM bot.update),
       published AS (DELETE FROM bot.published),
       buttons AS (DELETE FROM bot.dashboard_button),
       waits AS (DELETE FROM bot.flood_wait)
     INSERT INTO bot.owner (bot_id, is_playground) VALUES ($1, $2)
     ON CONFLICT (id) DO UPDATE
       SET bot_id = excluded.bot_id, is_playground = excluded.is_playground`,
    [bot.id, bot.isPlayground],
  )
}

/** @returns Undefined where no bot has stored its id, or could. */
async function readOwner(sql: Sql): Promise<OwnBot | undefined> {
  if (!(await hasTable(sql, 'bot.owner'))) return undefined
  const { rows } = await sql.query<{ id: string; isPlayground: boolean }>(
    'SELECT bot_id AS id, is_playground AS "isPlayground" FROM bot.owner',
  )
  const [owner] = rows
  return owner && { id: Number(owner.id), isPlayground: owner.isPlayground }
}

async function hasTelegramUsers(sql: Sql): Promise<boolean> {
  if (!(await hasTable(sql, 'bot.user'))) return false
  const { rowCount } = await sql.query('SELECT FROM bot."user" WHERE id > $1 LIMIT 1', [
    PLAYGROUND_USER_ID_MAX,
  ])
  return rowCount === 1
}

async function hasTable(sql: Sql, name: string): Promise<boolean> {
  const { rows } = await sql.query('SELECT to_regclass($1) IS NOT NULL AS "isThere"', [name])
  return rows[0].isThere
}

function describeOther(owner: OwnBot, bot: OwnBot): string {
  const name = owner.isPlayground ? 'the playground' : `bot ${owner.id}`
  if (bot.isPlayground) {
    return `it belongs to ${name}, and BOT_TOKEN is not set; set the token of ${name}, or set another DATA_DIR or DATABASE_URL for the playground`
  }
  const itsToken = owner.isPlayground ? '' : `set the token of ${name}, `
  return `it belongs to ${name}, and BOT_TOKEN is of bot ${bot.id}; ${itsToken}set another DATA_DIR or DATABASE_URL, or let bot ${bot.id} take it over with ${writeCommand('take-over')}`
}
