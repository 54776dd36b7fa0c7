import { readBalance as readBalanceAnswer } from '../../contract/client/read-answers.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Ask, WireAnswer } from './answer.ts'
import { areKopecks, isRoundingOf } from './money.ts'
import { type Wire, waitOut } from './wire.ts'

/** Between two looks at a balance that is to move yet. */
const LOOK_MS = 500

/** A look at the balance when it has moved as it should, or has had its time. */
export interface Settled {
  /** Undefined where the balance cannot be read. */
  balance: bigint | undefined
  /** How long it took to move. */
  lateMs: number
}

export type Customer = ReturnType<typeof createCustomer>

/**
 * Creates an account as its customer sees it. What may move its balance is done one after the other, so that each
 * look at the balance is of one thing.
 *
 * @param settleMs How long the balance may take to move.
 */
export function createCustomer({
  wire,
  apiKey,
  clock,
  settleMs,
}: {
  wire: Wire
  apiKey: string
  clock: Pick<Clock, 'now' | 'sleep'>
  settleMs: number
}) {
  let last: Promise<unknown> = Promise.resolve()
  let isFine = false
  return { apiKey, alone, ask, readBalance, awaitBalance, hasMovedBy }

  /** Does work while nothing else of this account is under way. Work that is alone already must not ask for it again. */
  async function alone<T>(work: () => Promise<T>): Promise<T> {
    const before = last
    const done = before.then(work)
    last = done.catch(() => {})
    return await done
  }

  /** Asks alone. Others go on while a 429 is waited out. */
  async function ask(request: Ask): Promise<WireAnswer> {
    const own = { ...request, apiKey }
    return await waitOut(clock, () => alone(() => wire.askOnce(own)), own)
  }

  /** @returns Undefined where the answer has a shape that is not known. */
  async function readBalance(): Promise<bigint | undefined> {
    const answer = await wire.ask({ method: 'GET', path: '/balance', apiKey })
    const balance = answer.status === 200 ? readBalanceAnswer(answer.json) : undefined
    if (balance !== undefined && !areKopecks([balance])) isFine = true
    return balance
  }

  /** Checks whether the balance moved by a cost that was told; by its rounding, if it was never seen in less than kopecks. */
  function hasMovedBy(costMicroRub: bigint, before: bigint, after: bigint): boolean {
    if (before - after === costMicroRub) return true
    return !isFine && isRoundingOf(before - after, costMicroRub * 1_000_000n)
  }

  /** Looks at the balance until it is right: a service may settle a little after its answer. */
  async function awaitBalance(isRight: (balance: bigint) => boolean): Promise<Settled> {
    const begunAt = clock.now()
    for (;;) {
      const balance = await readBalance()
      const lateMs = clock.now() - begunAt
      if (balance === undefined || isRight(balance) || lateMs >= settleMs) {
        return { balance, lateMs }
      }
      await clock.sleep(LOOK_MS)
    }
  }
}
