import { expect, test } from 'vitest'
import { createEndings, UnsureEndError } from '../../../src/service/chat/endings.ts'
import type { Sql } from '../../../src/service/ledger/sql.ts'
import { createManualClock } from '../../platform/time/manual-clock.ts'

function createAway() {
  const errors: string[] = []
  const state = { isAway: true, attempts: 0, stored: 0, isOurs: true }
  const log = { error: ({ err }: { err: Error }) => void errors.push(err.message) }
  const end = {
    requestId: 'request',
    async store() {
      state.attempts += 1
      if (state.isAway) throw new Error('Connection terminated unexpectedly')
      if (state.isOurs) state.stored += 1
      return state.isOurs
    },
  }
  return { state, errors, log, end }
}

function open(clock = createManualClock()) {
  return { clock, endings: createEndings({ sql: {} as Sql, clock }) }
}

// Promise: The database is away while an answer begins or ends
test('an end is tried until it is stored, once, and its trouble is logged once', async () => {
  const { state, errors, log, end } = createAway()
  const { clock, endings } = open()

  const stored = endings.store(end, { log, waitMs: 60_000 })
  await clock.run(20_000)
  state.isAway = false
  await clock.run(5_000)

  expect(await stored).toBe(true)
  expect([errors, state.stored]).toEqual([['Connection terminated unexpectedly'], 1])
  expect(clock.nextInMs()).toBe(Number.POSITIVE_INFINITY)
})

// Promise: The database is away while an answer begins or ends
test('who waits for an end goes on after a while, the end is stored all the same', async () => {
  const { state, log, end } = createAway()
  const { clock, endings } = open()

  const soon = endings.store(end, { log, waitMs: 0 })
  const later = endings.store({ ...end, requestId: 'other' }, { log, waitMs: 5_000 })
  await clock.run(5_000)
  const known = [await soon, await later]
  state.isAway = false
  await clock.run(5_000)

  expect(known).toEqual([undefined, undefined])
  expect(state.stored).toBe(2)
})

test('a hold that has ended otherwise is not waited for', async () => {
  const { state, log, end } = createAway()
  Object.assign(state, { isAway: false, isOurs: false })

  expect(await open().endings.store(end, { log, waitMs: 0 })).toBe(false)
})

// Promise: A process is cut off from the database: reset, or silence
test('an end that its epoch leaves is stored by the connections of the next one', async () => {
  const { state, log, end } = createAway()
  const { clock, endings } = open()
  const next = {} as Sql
  const used: unknown[] = []
  const store = (sql: unknown) => {
    used.push(sql)
    return end.store()
  }
  await endings.store({ ...end, store }, { log, waitMs: 0 })
  const settled = endings.settle(3_000)
  await clock.run(3_000)
  await settled

  endings.useLedger(next)
  state.isAway = false
  await clock.run(5_000)

  expect(state.stored).toBe(1)
  expect(used.at(-1)).toBe(next)
})

// Promise: The database is away while an answer begins or ends
test('an end that makes a refusal true is waited for, and where it takes too long it is stored all the same', async () => {
  const { state, log, end } = createAway()
  const { clock, endings } = open()

  const soon = endings.storeFirst(end, { log })
  await clock.run(20_000)
  state.isAway = false
  await clock.run(5_000)
  await soon
  state.isAway = true
  const late = endings.storeFirst(end, { log }).catch((error) => error)
  await clock.run(40_000)
  const refused = await late
  state.isAway = false
  await clock.run(5_000)

  expect(refused).toBeInstanceOf(UnsureEndError)
  expect(state.stored).toBe(2)
})
