import type { Update } from 'grammy/types'
import type { Logger } from 'pino'
import { isDataRefusal } from '../../../platform/database/trouble.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { waitMsOf } from './joined-updates.ts'
import type { LeaseSource } from './lease-source.ts'
import type { NewUpdate, StoredUpdates } from './stored-updates.ts'
import { logSetAside, tryData } from './try-data.ts'
import { type BeginsTurn, conversationKeyOf, type Delivery, sentAtOf } from './update-facts.ts'

/**
 * How soon a look finds what waited for an update that it had overtaken, though that update itself waits
 * for more.
 */
const OVERTAKEN_MS = 150

export interface UpdateStoringDeps {
  stored: Pick<StoredUpdates, 'add' | 'addHandled'>
  source: Pick<LeaseSource, 'mayOffer' | 'offer' | 'doubt' | 'wake'>
  delivery: Delivery
  beginsTurn: BeginsTurn
  mayLease: (count: number) => boolean
  clock: Clock
  log: Logger
  signal: AbortSignal
}

/** Stores updates that came, and hands on at once those that this process may handle. */
export function createUpdateStoring({
  stored,
  source,
  delivery,
  beginsTurn,
  mayLease,
  clock,
  log,
  signal,
}: UpdateStoringDeps) {
  const storingIds = new Set<number>()
  /** True while a statement that stores and leases may go on although its answer got lost. */
  let hasLostAnswer = false
  return {
    store,
    storing: () => [...storingIds],
  }

  async function store(updates: readonly Update[]): Promise<void> {
    if (updates.length === 0) return
    const add = (some: readonly Update[]) => addAndLease(some.map(toNewUpdate))
    const { refusal } = await tryData(() => add(updates), { clock, signal: signal })
    // One of them is it: the others are stored without it.
    if (refusal !== undefined) for (const update of updates) await storeAlone(update)

    async function storeAlone(update: Update): Promise<void> {
      const id = update.update_id
      try {
        await add([update])
      } catch (error) {
        if (!isDataRefusal(error)) throw error
        logSetAside(log, id, error)
        await stored.addHandled(id)
        source.wake()
      }
    }
  }

  /** Updates come by webhook in any order, and each is looked at with those that it may have overtaken. */
  async function addAndLease(updates: readonly NewUpdate[]): Promise<void> {
    const isInOrder = delivery === 'poll'
    const leases = isInOrder && mayLease(updates.length) && source.mayOffer()
    const ids = leases ? updates.map(({ update }) => update.update_id) : []
    for (const id of ids) storingIds.add(id)
    try {
      const leased = await stored.add(updates, { leases })
      source.offer(leased)
      // The same was stored again, and has waited for it: what it leased is to be seen by now.
      if (hasLostAnswer) source.doubt()
      hasLostAnswer = false
      const leasedIds = new Set(leased.map(({ update }) => update.update_id))
      const left = updates.filter(({ update }) => !leasedIds.has(update.update_id))
      if (left.length > 0) source.wake(Math.min(OVERTAKEN_MS, ...left.map(({ waitMs }) => waitMs)))
    } catch (error) {
      if (leases) {
        hasLostAnswer = true
        source.doubt()
      }
      throw error
    } finally {
      for (const id of ids) storingIds.delete(id)
    }
  }

  function toNewUpdate(update: Update): NewUpdate {
    return {
      update,
      conversationKey: conversationKeyOf(update, beginsTurn),
      sentAt: sentAtOf(update),
      waitMs: waitMsOf(update),
    }
  }
}
