import { expect, test } from 'vitest'
import { createCoolDown } from '../../../src/service/providers/cool-down.ts'
import { createManualClock } from '../../platform/time/manual-clock.ts'

const COOL_DOWN_MS = 30_000

test('a provider that failed is left alone for the cool-down', () => {
  const { clock, coolDown } = create()

  coolDown.begin().failed()

  expect(coolDown.restMs()).toBe(COOL_DOWN_MS)
  clock.advance(COOL_DOWN_MS)
  expect(coolDown.restMs()).toBe(0)
})

test('a provider that asks for longer is left alone for so long', () => {
  const { coolDown } = create()

  coolDown.begin().failed(2 * COOL_DOWN_MS)

  expect(coolDown.restMs()).toBe(2 * COOL_DOWN_MS)
})

test('a failure without a word does not shorten what the provider asked of a try beside it', () => {
  const { coolDown } = create()
  const [first, second] = [coolDown.begin(), coolDown.begin()]

  first.failed(2 * COOL_DOWN_MS)
  second.failed()

  expect(coolDown.restMs()).toBe(2 * COOL_DOWN_MS)
})

test('after a success a failure begins a cool-down of its own', () => {
  const { coolDown } = create()
  coolDown.begin().failed(2 * COOL_DOWN_MS)
  coolDown.begin().succeeded()

  coolDown.begin().failed()

  expect(coolDown.restMs()).toBe(COOL_DOWN_MS)
})

// Promise: An upstream hangs
test('after a cool-down one try finds out, and the others wait another one for it', () => {
  const { clock, coolDown } = create()
  coolDown.begin().failed()
  clock.advance(COOL_DOWN_MS)

  const trying = coolDown.begin()

  expect(coolDown.restMs()).toBe(COOL_DOWN_MS)
  trying.succeeded()
  expect(coolDown.restMs()).toBe(0)
})

test('a try whose end is not reported keeps the others away for one cool-down', () => {
  const { clock, coolDown } = create()
  coolDown.begin().failed()
  clock.advance(COOL_DOWN_MS)

  coolDown.begin()
  clock.advance(COOL_DOWN_MS)

  expect(coolDown.restMs()).toBe(0)
})

test('a success of a try that began before a failure does not end the cool-down', () => {
  const { coolDown } = create()
  const early = coolDown.begin()

  coolDown.begin().failed()
  early.succeeded()

  expect(coolDown.restMs()).toBe(COOL_DOWN_MS)
})

test('a provider that never failed, or has no cool-down, may always be asked', () => {
  const { coolDown } = create()
  coolDown.begin()
  const none = createCoolDown({ coolDownMs: 0, clock: createManualClock() })
  none.begin().failed()

  expect([coolDown.restMs(), none.restMs()]).toEqual([0, 0])
})

function create() {
  const clock = createManualClock()
  return { clock, coolDown: createCoolDown({ coolDownMs: COOL_DOWN_MS, clock }) }
}
