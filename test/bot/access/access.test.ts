import { expect, test } from 'vitest'
import { createAccess } from '../../../src/bot/access/access.ts'

const EVERYBODY = { adminIds: new Set<number>(), allowedUserIds: new Set<number>() }

test('with nobody listed everybody is welcome who is not blocked, and nobody is an admin', () => {
  const { statusOf, isAdmin } = createAccess(EVERYBODY)

  expect(statusOf({ id: 1, admission: null })).toBe('insider')
  expect(statusOf({ id: 1, admission: 'refused' })).toBe('insider')
  expect(statusOf({ id: 1, admission: 'blocked' })).toBe('blocked')
  expect(isAdmin(1)).toBe(false)
})

test('a list keeps out whoever is not on it and was not let in', () => {
  const { statusOf } = createAccess({ ...EVERYBODY, allowedUserIds: new Set([1]) })

  expect(statusOf({ id: 1n, admission: null })).toBe('insider')
  expect(statusOf({ id: 2n, admission: 'allowed' })).toBe('insider')
  for (const admission of [null, 'requested', 'refused'] as const) {
    expect(statusOf({ id: 2n, admission })).toBe('outsider')
  }
  expect(statusOf({ id: 1n, admission: 'blocked' })).toBe('blocked')
})

test('an admin needs no place on the list and cannot be blocked', () => {
  const access = createAccess({ adminIds: new Set([9]), allowedUserIds: new Set([1]) })

  expect(access.statusOf({ id: 9, admission: 'blocked' })).toBe('insider')
  expect([access.isAdmin(9), access.isAdmin(1)]).toEqual([true, false])
})
