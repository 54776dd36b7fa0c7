import type { Operation, OperationOutcome } from './operation.ts'

/** The most open holds that are remembered; the end of one that is forgotten is done by a statement of its own. */
const HOLDS_MAX = 50_000

/** Remembers whose the open holds of this process are: the end of one names only its request. */
export function rememberAccounts() {
  const ofHolds = new Map<string, number>()
  return { of, record }

  function of({ row }: Operation): number | undefined {
    if ('account_id' in row) return row.account_id
    return row.kind === 'end' ? ofHolds.get(row.request_id) : undefined
  }

  function record({ row }: Operation, { isDone }: OperationOutcome): void {
    if (row.kind === 'end') ofHolds.delete(row.request_id)
    if (row.kind !== 'hold' || !isDone) return
    const [oldest] = ofHolds.size === HOLDS_MAX ? ofHolds.keys() : []
    if (oldest !== undefined) ofHolds.delete(oldest)
    ofHolds.set(row.request_id, row.account_id)
  }
}
