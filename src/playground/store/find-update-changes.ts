import type { Clock } from '../../platform/time/clock.ts'
import type { WaitingUpdate } from '../updates/update-queue.ts'
import type { StoredUpdate } from './store.ts'

/**
 * Finds what has come and gone of the updates that wait.
 *
 * @param before The ids of those that were written last. They rise, as those of the queue do.
 */
export function findUpdateChanges(
  queue: readonly WaitingUpdate[],
  before: readonly number[],
  clock: Clock,
): { added: StoredUpdate[]; taken: number[]; ids: readonly number[] } {
  const last = before.at(-1) ?? 0
  let from = queue.length
  while (from > 0 && idOf(queue[from - 1]) > last) from--
  const isSame = from === queue.length && from === before.length
  if (isSame) return { added: [], taken: [], ids: before }
  const ids = queue.map(idOf)
  const toDate = clock.date().getTime() - clock.now()
  const added = queue.slice(from).map(({ update, expiresAt }) => ({
    updateId: update.update_id,
    expiresAt: Math.round(expiresAt + toDate),
    value: JSON.stringify(update),
  }))
  // As long as before without what came: then nothing has gone, however many wait.
  if (from === before.length) return { added, taken: [], ids }
  const waiting = new Set(ids)
  return { added, taken: before.filter((id) => !waiting.has(id)), ids }
}

function idOf(waiting: WaitingUpdate | undefined): number {
  return waiting?.update.update_id ?? 0
}
