/**
 * Leases: the right of one process to work on a row.
 *
 * A row names its lease owner in `lease_owner`: the id of a process (instance.ts), or null. A lease
 * holds as long as its owner lives; after that any process may take it over, and what the former owner
 * writes later is refused, since every write names the owner: `WHERE id = … AND lease_owner = …`.
 * A process that was mistaken for dead comes back under another id.
 */
import { aliveSql } from './instance-row.ts'

/**
 * SQL that is true where a row has a lease owner that has ended: its lease may be taken over.
 *
 * @param leaseOwner A column of type integer, written by us: it is not escaped.
 */
export function isEndedSql(leaseOwner: string): string {
  return `(${leaseOwner} IS NOT NULL AND NOT ${aliveSql(leaseOwner)})`
}

/**
 * SQL that is true where a row may be leased: it has no lease owner, or one that has ended.
 *
 * @param leaseOwner A column of type integer, written by us: it is not escaped.
 */
export function isFreeSql(leaseOwner: string): string {
  return `(${leaseOwner} IS NULL OR NOT ${aliveSql(leaseOwner)})`
}
