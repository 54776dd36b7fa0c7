import { expect, test } from 'vitest'
import { createAccess } from '../../../src/bot/access/access.ts'

test('with nobody listed everybody is allowed and nobody is an admin', () => {
  const access = createAccess({ adminIds: new Set(), allowedUserIds: new Set() })

  expect([access.isAllowed(1), access.isAdmin(1)]).toEqual([true, false])
})

test('a list keeps out whoever is not on it', () => {
  const access = createAccess({ adminIds: new Set(), allowedUserIds: new Set([1]) })

  expect([access.isAllowed(1), access.isAllowed(2)]).toEqual([true, false])
})

test('an admin needs no place on the list', () => {
  const access = createAccess({ adminIds: new Set([9]), allowedUserIds: new Set([1]) })

  expect([access.isAllowed(9), access.isAdmin(9), access.isAdmin(1)]).toEqual([true, true, false])
})
