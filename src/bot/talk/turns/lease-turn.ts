import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import { aliveSql } from '../../../platform/database/instance/instance-row.ts'
import { isFreeSql } from '../../../platform/database/instance/lease.ts'
import type { Turn } from './turn.ts'

const LEASE = `
  UPDATE bot.turn SET lease_owner = $2,
    state = CASE state WHEN 'waiting' THEN 'streaming' ELSE state END
  WHERE id = $1 AND ${aliveSql('$2')} AND (${isFreeSql('lease_owner')}
    OR $3 AND lease_owner IS NOT DISTINCT FROM $4)`

const LEASE_WAITING = `
  UPDATE bot.turn SET lease_owner = $2
  WHERE id = $1 AND state = 'waiting' AND sending_since IS NULL AND stop_requested_at IS NULL
    AND ${aliveSql('$2')} AND ${isFreeSql('lease_owner')}`

/**
 * Leases a turn for a process. One that waited does not wait any more.
 *
 * Invariant: one process at a time answers a turn. Its lease is taken where it has none, where its
 * owner has ended, or where the owner is known to have given it up; never by a process that has ended.
 *
 * @param isLeft Whether the lease owner that was read has given the turn up.
 * @returns Whether it is leased now.
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
 * Leases a turn that waits, to show that in its chat. If its answer begins meanwhile, it waits until the lease ends.
 *
 * @returns Whether it is leased: it waits, is wanted, and its chat does not show it yet.
 */
export async function leaseWaiting(
  prisma: Pick<PrismaClient, '$executeRawUnsafe'>,
  { turnId, leaseOwner }: { turnId: bigint; leaseOwner: number },
): Promise<boolean> {
  return (await prisma.$executeRawUnsafe(LEASE_WAITING, turnId, leaseOwner)) === 1
}
