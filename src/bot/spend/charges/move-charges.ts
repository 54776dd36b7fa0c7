import { Prisma } from '../../../platform/database/generated/client.ts'
import { addUp, SUM_COLUMNS } from './sums.ts'
import { rebuildCounters } from './true-sums.ts'

const NAMES = Prisma.raw(SUM_COLUMNS.join(', '))
const ADDED = Prisma.raw(SUM_COLUMNS.map((name) => `sum(${name})`).join(', '))

/**
 * Moves the charges of a group to the supergroup that it became, with all that is counted of them and what is
 * reserved; where the supergroup has some already, they are added up. After the statements that move the
 * group's turns and orders, in their transaction; locks are taken as `record-charges.ts` says.
 */
export async function moveCharges(
  tx: Prisma.TransactionClient,
  { from, to }: { from: number; to: number },
): Promise<void> {
  const moved = (column: 'user_id' | 'chat_id') => {
    const name = Prisma.raw(column)
    return Prisma.sql`CASE WHEN ${name} = ${from} THEN ${to}::bigint ELSE ${name} END`
  }
  // The group is a user as well where its admins ask in its name.
  const isOfGroup = Prisma.sql`(user_id = ${from} OR chat_id = ${from})`
  const ids = Prisma.sql`user_id = ${moved('user_id')}, chat_id = ${moved('chat_id')}`
  await tx.$executeRaw`UPDATE bot.reservation SET ${ids} WHERE ${isOfGroup}`
  const isKnown = await tx.$executeRaw`
    INSERT INTO bot.spender (id, day)
    SELECT subject.id, spender.day
    FROM bot.spender, unnest(ARRAY[${from}, ${to}]::bigint[]) AS subject(id)
    WHERE spender.id = ${from} ORDER BY subject.id
    ON CONFLICT (id) DO UPDATE SET day = greatest(spender.day, excluded.day)`
  if (!isKnown) return
  // What is being written for the old group now waits for these rows, and stays there, sums and all.
  await tx.$executeRaw`UPDATE bot.charge SET ${ids} WHERE ${isOfGroup}`
  for (const [table, key] of [
    ['spend_day', 'day, kind, item'],
    ['spend_total', 'kind, item'],
  ] as const) {
    const sums = Prisma.raw(`bot.${table}`)
    const rest = Prisma.raw(key)
    await tx.$executeRaw`
      WITH gone AS (DELETE FROM ${sums} WHERE ${isOfGroup} RETURNING *)
      INSERT INTO ${sums} (user_id, chat_id, ${rest}, ${NAMES})
      SELECT ${moved('user_id')}, ${moved('chat_id')}, ${rest}, ${ADDED} FROM gone GROUP BY 1, 2, ${rest}
      ON CONFLICT (user_id, chat_id, ${rest}) DO UPDATE SET ${addUp(table)}`
  }
  await rebuildCounters(tx, [BigInt(from), BigInt(to)])
}
