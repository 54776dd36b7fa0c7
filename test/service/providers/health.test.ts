import { expect, test } from 'vitest'
import { ProviderHealth } from '../../../src/service/providers/health.ts'
import { createManualClock } from '../../platform/time/manual-clock.ts'

const COOL_DOWN_MS = 30_000
const RESET = { kind: 'reset' } as const
const LIMITED = { kind: 'rate_limited', retryAfterMs: 2 * COOL_DOWN_MS } as const

function create(coolDownMs = COOL_DOWN_MS) {
  const clock = createManualClock()
  return { clock, health: new ProviderHealth(coolDownMs, clock) }
}

test('a provider that failed rests for the cool-down', () => {
  const { clock, health } = create()

  health.failed(RESET)

  expect(health.restMs()).toBe(COOL_DOWN_MS)
  clock.advance(COOL_DOWN_MS)
  expect(health.restMs()).toBe(0)
})

test('a provider that asks for longer rests longer, also after a failure without a wait beside it', () => {
  const { health } = create()

  health.failed(LIMITED)
  health.failed(RESET)

  expect(health.restMs()).toBe(2 * COOL_DOWN_MS)
})

test('after a success a failure begins a cool-down of its own', () => {
  const { health } = create()
  health.failed(LIMITED)
  health.worked()

  health.failed(RESET)

  expect(health.restMs()).toBe(COOL_DOWN_MS)
})

test('after a cool-down one try finds out, and the others wait another cool-down for it', () => {
  const { clock, health } = create()
  health.failed(RESET)
  clock.advance(COOL_DOWN_MS)

  health.begin()

  expect(health.restMs()).toBe(COOL_DOWN_MS)
  health.worked()
  expect(health.restMs()).toBe(0)
})

test('a provider that never failed, or has no cool-down, may always be asked', () => {
  const { health } = create()
  health.begin()
  const { health: restless } = create(0)
  restless.failed(RESET)

  expect([health.restMs(), restless.restMs()]).toEqual([0, 0])
})

test('a provider is refused until it works again', () => {
  const health = new ProviderHealth(COOL_DOWN_MS)
  health.worked()
  health.failed({ kind: 'unauthorized' })

  expect(health.isRefused).toBe(true)
  health.worked()
  expect(health.isRefused).toBe(false)
})
