import { expect, test, vi } from 'vitest'
import { createHangUp, createLifecycle, createStopSignals } from '../../src/process/lifecycle.ts'
import { createManualClock } from '../platform/time/manual-clock.ts'

test('stop() ends the parts one after the other, the last started first', async () => {
  const { lifecycle } = start()
  const ended: string[] = []
  for (const name of ['database', 'server', 'bot']) {
    lifecycle.add(async () => {
      ended.push(`${name} begins`)
      await Promise.resolve()
      ended.push(`${name} ends`)
    })
  }

  await lifecycle.stop()

  expect(ended).toEqual([
    ...['bot begins', 'bot ends', 'server begins', 'server ends'],
    ...['database begins', 'database ends'],
  ])
})

test('stop() gives each part what the parts before it left of the time', async () => {
  const { lifecycle, clock } = start()
  const given: number[] = []
  for (const tookMs of [0, 3000, 600]) {
    lifecycle.add(async (timeoutMs) => {
      given.push(timeoutMs)
      clock.advance(tookMs)
    })
  }

  await lifecycle.stop()

  expect(given).toEqual([2000, 1400, 0])
})

test('stop() ends the other parts where one cannot end, and reports it', async () => {
  const { lifecycle, onError } = start()
  const endDatabase = vi.fn(async () => {})
  const error = new Error('stuck')
  lifecycle.add(endDatabase)
  lifecycle.add(() => Promise.reject(error))

  await lifecycle.stop()

  expect(endDatabase).toHaveBeenCalledOnce()
  expect(onError.mock.calls).toEqual([[error]])
})

test('stop() lets all go on for the time of the drain first, and a lifecycle is stopping by then', async () => {
  const { lifecycle, clock } = start({ drainMs: 5000 })
  const end = vi.fn(async (_timeoutMs: number) => {})
  lifecycle.add(end)

  const stopped = lifecycle.stop()
  await clock.run(4999)
  expect([lifecycle.isStopping(), end.mock.calls.length]).toEqual([true, 0])
  await clock.run(1)
  await stopped

  expect(end).toHaveBeenCalledExactlyOnceWith(2000, 5000)
})

function start({ drainMs }: { drainMs?: number } = {}) {
  const clock = createManualClock()
  const onError = vi.fn()
  return { lifecycle: createLifecycle({ drainMs, stopMs: 2000, onError, clock }), clock, onError }
}

function take(...instantsMs: number[]): string[] {
  const clock = createManualClock()
  const done: string[] = []
  const takeSignal = createStopSignals({
    stop: () => done.push('stop'),
    endNow: () => done.push('end now'),
    clock,
  })
  for (const instantMs of instantsMs) {
    clock.advance(instantMs - clock.now())
    takeSignal()
  }
  return done
}

test.each([
  ['a key that npm hands on', [0, 1]],
  ['a key that is pressed in anger', [0, 300, 600, 999]],
])('signals of one moment are one: %s', (_, instants) => {
  expect(take(...instants)).toEqual(['stop'])
})

test('a second signal a second later ends the process at once', () => {
  expect(take(0, 1, 1_000)).toEqual(['stop', 'end now'])
})

test.each([
  ['reloads the config while the terminal is there', true, true, 'reload'],
  ['reloads the config of a process without a terminal', false, false, 'reload'],
  ['stops a process whose terminal was closed', true, false, 'stop'],
])('a SIGHUP %s', (_, before, after, expected) => {
  const done: string[] = []
  let isTerminal = before
  const take = createHangUp({
    stop: () => done.push('stop'),
    reload: () => done.push('reload'),
    isTerminal: () => isTerminal,
  })
  isTerminal = after

  take()

  expect(done).toEqual([expected])
})
