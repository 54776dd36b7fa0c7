import { expect, test } from 'vitest'
import { type AccessFacts, createAccess } from '../../../src/bot/people/access.ts'

const EVERYBODY = {
  adminIds: new Set<number>(),
  viewerIds: new Set<number>(),
  allowedUserIds: 'everybody' as const,
}

function user(id: number | bigint, facts: Partial<AccessFacts> = {}): AccessFacts {
  return { id, admission: null, role: null, ...facts }
}

test('a list keeps out all who are not on it and were not let in', () => {
  const { statusOf } = createAccess({ ...EVERYBODY, allowedUserIds: new Set([1]) })

  expect(statusOf(user(1n))).toBe('insider')
  expect(statusOf(user(2n, { admission: 'allowed' }))).toBe('insider')
  for (const admission of [null, 'requested', 'refused'] as const) {
    expect(statusOf(user(2n, { admission }))).toBe('outsider')
  }
  expect(statusOf(user(1n, { admission: 'blocked' }))).toBe('blocked')
})

test('an empty list is no list for everybody: who has no role and was not let in stays outside', () => {
  const nobody = { ...EVERYBODY, adminIds: new Set([9]), allowedUserIds: new Set<number>() }
  const { statusOf, openTo } = createAccess(nobody)

  expect([statusOf(user(1)), statusOf(user(9))]).toEqual(['outsider', 'insider'])
  expect(statusOf(user(1, { admission: 'allowed' }))).toBe('insider')
  expect(openTo()).toBe('admins')
  expect(createAccess({ ...nobody, allowedUserIds: new Set([1]) }).openTo()).toBe('listed')
  expect(createAccess(EVERYBODY).openTo()).toBe('everybody')
})

test('an admin of the settings need not be on the list, cannot be blocked, and stays admin', () => {
  const access = createAccess({
    ...EVERYBODY,
    adminIds: new Set([9]),
    allowedUserIds: new Set([1]),
  })

  const demoted = user(9, { admission: 'blocked', role: 'viewer' })
  expect(access.statusOf(demoted)).toBe('insider')
  expect([access.roleOf(demoted), access.roleOf(user(1))]).toEqual(['admin', undefined])
})

test('who is blocked has no role, be they a viewer of the settings', () => {
  const { roleOf, statusOf } = createAccess({ ...EVERYBODY, viewerIds: new Set([7]) })

  for (const role of ['admin', 'viewer', null] as const) {
    const blocked = user(7, { admission: 'blocked', role })
    expect([roleOf(blocked), statusOf(blocked)]).toEqual([undefined, 'blocked'])
  }
})
