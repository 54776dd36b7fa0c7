import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import { aliveSql, isFreeSql } from '../../../platform/database/instance/instance-row.ts'
import type { Turn } from './turn.ts'

const LEASE = `
  UPDATE bot.turn SET lease_owner = $2,
    state = CASE state WHEN 'waiting' THEN 'streaming' ELSE state END
  WHERE id = $1 AND ${aliveSql('$2')} AND (${isFreeSql('lease_owner')}
    OR $3 AND lease_owner IS NOT DISTINCT FROM $4)`

const LEASE_WAITING = `
  WITH waiting AS (
    SELECT id, EXISTS (
      SELECT FROM bot.turn AS earlier
      WHERE earlier.chat_id = turn.chat_id AND earlier.thread_id = turn.thread_id
        AND earlier.id < turn.id AND earlier.ended_at IS NULL
        AND (cardinality(earlier.message_ids) = 0 OR earlier.sending_since IS NOT NULL)
    ) AS is_early
    FROM bot.turn
    WHERE id = $1 AND state = 'waiting' AND sending_since IS NULL AND stop_requested_at IS NULL
      AND ${aliveSql('$2')} AND ${isFreeSql('lease_owner')}
    FOR NO KEY UPDATE
  ), leased AS (
    UPDATE bot.turn SET lease_owner = $2 FROM waiting WHERE turn.id = waiting.id AND NOT is_early
  )
  SELECT is_early AS "isEarly" FROM waiting`

/**
 * Leases a turn for a process. One that waited does not wait any more.
 *
 * Invariant: one process at a time answers a turn. Its lease is taken where it has none, where its
 * owner has ended, or where the owner is known to have given it up; never by a process that has ended.
 *
 * @param isLeft Whether the lease owner that was read has given the turn up.
 */
export async function leaseTurn(
  prisma: Pick<PrismaClient, '$executeRawUnsafe'>,
  {
    turn,
    leaseOwner,
    isLeft,
  }: { turn: Pick<Turn, 'id' | 'leaseOwner'>; leaseOwner: number; isLeft: boolean },
): Promise<boolean> {
  const values = [turn.id, leaseOwner, isLeft, turn.leaseOwner]
  return (await prisma.$executeRawUnsafe(LEASE, ...values)) === 1
}

/**
 * How the lease of a turn that waits, to show that in its chat, ended. `early`: the reply of one before it has no
 * message yet. `unneeded`: it does not wait any more, is not wanted, or its chat may show it already.
 */
export type WaitingLease = 'leased' | 'early' | 'unneeded'

/**
 * Leases a turn that waits, to show that in its chat. If its answer begins meanwhile, it waits until the lease ends.
 *
 * Invariant: in every process the first messages of replies are sent in the order of their questions. So it is leased
 * once the replies before it are known to have theirs.
 */
export async function leaseWaiting(
  prisma: Pick<PrismaClient, '$queryRawUnsafe'>,
  { turnId, leaseOwner }: { turnId: bigint; leaseOwner: number },
): Promise<WaitingLease> {
  const [waiting] = await prisma.$queryRawUnsafe<{ isEarly: boolean }[]>(
    LEASE_WAITING,
    turnId,
    leaseOwner,
  )
  if (waiting === undefined) return 'unneeded'
  return waiting.isEarly ? 'early' : 'leased'
}
