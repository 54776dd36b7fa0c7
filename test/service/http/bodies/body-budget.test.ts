import { expect, test } from 'vitest'
import { createBodyBudget } from '../../../../src/service/http/bodies/body-budget.ts'

const BOUNDS = {
  openBytesMax: 1000,
  accountBytesMax: 600,
  refusedBytesMax: 600,
  smallBytesMax: 10,
}

function createBudget() {
  const clock = { ms: 0 }
  return { clock, budget: createBodyBudget({ nowMs: () => clock.ms, bounds: BOUNDS }) }
}

function take({ budget }: ReturnType<typeof createBudget>, accountId: number, bytes: number) {
  const allowance = budget.open(accountId)
  allowance.take(bytes)
  return allowance
}

test('an account has so many bytes at once, and what a request took comes back with its end', () => {
  const scene = createBudget()
  const first = take(scene, 1, 400)

  expect(() => take(scene, 1, 201)).toThrow(
    expect.objectContaining({ statusCode: 429, retryAfterMs: 1000 }),
  )
  take(scene, 1, 200)
  first.end({ isRefused: false })

  expect(() => take(scene, 1, 400)).not.toThrow()
})

test('no account takes it all from the others; all together have a bound of their own', () => {
  const scene = createBudget()
  take(scene, 1, 600)

  take(scene, 2, 400)

  expect(() => take(scene, 3, 11)).toThrow(
    expect.objectContaining({ statusCode: 503, retryAfterMs: 1000 }),
  )
})

test('a small body is let in however much the others have', () => {
  const scene = createBudget()
  take(scene, 1, 600)
  take(scene, 2, 400)

  expect(() => [1, 2, 3].map((accountId) => take(scene, accountId, 10))).not.toThrow()
})

test('refused bytes are given back by the minute, and are the account’s own', () => {
  const scene = createBudget()
  for (const bytes of [300, 200]) take(scene, 1, bytes).end({ isRefused: true })

  // 500 of 600 are gone, and 10 come back in a second.
  expect(() => take(scene, 1, 200)).toThrow(
    expect.objectContaining({ statusCode: 429, retryAfterMs: 10_000 }),
  )
  take(scene, 1, 10)
  take(scene, 2, 600)
  scene.clock.ms = 9_999
  expect(() => take(scene, 1, 200)).toThrow()
  scene.clock.ms = 10_000
  expect(() => take(scene, 1, 200)).not.toThrow()
})
