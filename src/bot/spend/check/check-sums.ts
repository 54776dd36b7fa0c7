import { Prisma, type PrismaClient } from '../../../platform/database/generated/client.ts'
import { PERIOD_COUNTERS, SUM_COLUMNS } from '../charges/sums.ts'
import { trueCounters, trueDates, trueDays, trueTotals } from '../charges/true-sums.ts'

/** More are counted and not listed: those who spent most come first. */
const DIFFERENCES_MAX = 1_000

/** A kept sum that differs from what its charges add up to. */
export interface SumDifference {
  table: 'spend_day' | 'spend_total' | 'spend_date' | 'spender'
  /** The user, or of `spender` perhaps a group; 0 in `spend_date`, which is of all. */
  id: bigint
  key: string
  column: string
  /** The sum of the charges; of the reservations for `reserved_micro_rub`. */
  wanted: bigint
  kept: bigint
}

/** The sums of the charges, and the kept sums that differ from them. */
export interface SumsCheck {
  charges: number
  users: number
  amountMicroRub: bigint
  estimatedMicroRub: bigint
  writtenOffMicroRub: bigint
  reservedMicroRub: bigint
  differenceCount: number
  differences: SumDifference[]
}

/** The check as the database returns it: in JSON, whose numbers are not bigints. */
type ReadDifference = Record<'table' | 'id' | 'key' | 'column' | 'wanted' | 'kept', string>

type ReadCheck = Omit<SumsCheck, 'differences'> & { differences: ReadDifference[] }

/**
 * Compares all that is kept of charges with the charges, and what is reserved with the reservations.
 *
 * One statement, which sees one moment: while the bot runs, nothing differs. It reads only.
 */
export async function checkSums(prisma: Pick<PrismaClient, '$queryRaw'>): Promise<SumsCheck> {
  const [read] = await prisma.$queryRaw<ReadCheck[]>`
    WITH days AS MATERIALIZED (${trueDays(Prisma.sql`true`)}),
    totals AS MATERIALIZED (${trueTotals(Prisma.sql`days`)}),
    difference AS MATERIALIZED (
      ${differences('spend_day', ['user_id', 'chat_id', 'day', 'kind', 'item'], Prisma.sql`days`)}
      UNION ALL
      ${differences('spend_total', ['user_id', 'chat_id', 'kind', 'item'], Prisma.sql`totals`)}
      UNION ALL
      ${differences('spend_date', ['day', 'kind', 'item'], Prisma.sql`(${trueDates(FINISHED_DAYS)}) AS dates`)}
      UNION ALL
      ${differences('spender', ['id'], Prisma.sql`(${trueCounters(Prisma.sql`days`)}) AS counted`)}
    )
    SELECT sums.*,
      (SELECT coalesce(sum(amount_micro_rub), 0) FROM bot.reservation)::bigint AS "reservedMicroRub",
      (SELECT count(*) FROM difference)::int AS "differenceCount",
      (SELECT coalesce(jsonb_agg(listed), '[]') FROM (
        SELECT "table", id::text, key, "column", wanted::text, kept::text FROM difference
        ORDER BY abs(wanted - kept) DESC, "table", id, key, "column" LIMIT ${DIFFERENCES_MAX}
      ) AS listed) AS differences
    FROM (
      SELECT (SELECT count(*) FROM bot.charge)::int AS charges,
        count(DISTINCT user_id)::int AS users,
        coalesce(sum(amount_micro_rub), 0)::bigint AS "amountMicroRub",
        coalesce(sum(estimated_micro_rub), 0)::bigint AS "estimatedMicroRub",
        coalesce(sum(written_off_micro_rub), 0)::bigint AS "writtenOffMicroRub"
      FROM totals
    ) AS sums`
  if (read === undefined) throw new TypeError('Cannot check sums: a sum without a row')
  return { ...read, differences: read.differences.map(toDifference) }
}

/** Later ones are not added up yet. */
const FINISHED_DAYS = Prisma.sql`(
  SELECT * FROM days WHERE day <= (SELECT max(day) FROM bot.spend_date)) AS finished`

const COUNTERS = [...Object.values(PERIOD_COUNTERS), 'total_micro_rub', 'reserved_micro_rub']

/** SQL of the columns of a table that are not as they must be. What is missing is 0. */
function differences(
  table: SumDifference['table'],
  keys: readonly string[],
  wanted: Prisma.Sql,
): Prisma.Sql {
  const [id = '', ...rest] = table === 'spend_date' ? ['0::bigint', ...keys] : keys
  const columns = table === 'spender' ? COUNTERS : SUM_COLUMNS
  // Nearly all are alike: those are passed over before their columns are compared.
  const of = (row: string) => Prisma.raw(columns.map((name) => `${row}.${name}`).join(', '))
  const compared = columns.map((name) => `('${name}', wanted.${name}, kept.${name})`)
  return Prisma.sql`
    SELECT ${table}::text AS "table", ${Prisma.raw(id)} AS id,
      concat_ws(' ', ${Prisma.raw([`''`, ...rest].join(', '))}) AS key,
      compared.name AS "column", coalesce(compared.wanted, 0)::bigint AS wanted,
      coalesce(compared.kept, 0)::bigint AS kept
    FROM (SELECT * FROM ${wanted}) AS wanted
      FULL JOIN ${Prisma.raw(`bot.${table}`)} AS kept USING (${Prisma.raw(keys.join(', '))}),
      LATERAL (VALUES ${Prisma.raw(compared.join(', '))}) AS compared(name, wanted, kept)
    WHERE (${of('wanted')}) IS DISTINCT FROM (${of('kept')})
      AND coalesce(compared.wanted, 0) <> coalesce(compared.kept, 0)`
}

function toDifference({ table, id, key, column, wanted, kept }: ReadDifference): SumDifference {
  return {
    table: table as SumDifference['table'],
    id: BigInt(id),
    key: key.trim(),
    column,
    wanted: BigInt(wanted),
    kept: BigInt(kept),
  }
}
