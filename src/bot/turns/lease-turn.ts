import type { PrismaClient } from '../../database/generated/client.ts'
import { aliveSql } from '../../database/instance-row.ts'
import { isFreeSql } from '../../database/lease.ts'
import type { Turn } from './turn.ts'

const LEASE = `
  UPDATE bot.turn SET lease_owner = $2
  WHERE id = $1 AND ${aliveSql('$2')} AND (${isFreeSql('lease_owner')}
    OR $3 AND lease_owner IS NOT DISTINCT FROM $4)`

/**
 * Leases a turn for a process.
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
