import { beforeEach, expect, test } from 'vitest'
import { ADMIN, buttonsOf, database, setUp, useCommands, VIEWER } from '../commands-setup.ts'

useCommands()

const MOSCOW_NOON = new Date('2026-11-20T09:00:00Z')

beforeEach(async () => {
  await database.pool.query('TRUNCATE bot."user", bot.spender CASCADE')
})

async function addUsers(count: number): Promise<void> {
  await database.prisma.user.createMany({
    data: Array.from({ length: count }, (_, index) => ({
      id: 1000 + index,
      firstName: `User ${index}`,
      seenAt: new Date(MOSCOW_NOON.getTime() - index * 60_000),
    })),
  })
}

test('/users shows of each user their access, when they were here, and what they spent', async () => {
  const { send, answerTo } = await setUp()
  await database.prisma.user.createMany({
    data: [
      { id: 10, firstName: 'Anna', username: 'anna_a', seenAt: MOSCOW_NOON },
      { id: 11, firstName: 'Boris', admission: 'blocked' },
      { id: 12, firstName: '', role: 'viewer' },
    ],
  })
  await database.prisma.spender.createMany({
    data: [
      { id: 10, day: new Date(), monthMicroRub: 12_340_000n, totalMicroRub: 99_000_000n },
      { id: 11, day: new Date('2026-01-15'), monthMicroRub: 5_000_000n },
    ],
  })

  expect(await answerTo(await send('/users', { userId: VIEWER }))).toBe(
    [
      'Everybody who has written to me, most recent first:\n',
      'Anna (@anna_a), 10 — has access; last here: 20 Nov 2026, 12:00; this month: ₽12.34',
      'Boris, 11 — blocked; last here: –; this month: ₽0.00',
      '–, 12 — viewer; last here: –; this month: ₽0.00',
    ].join('\n'),
  )
})

test.each([
  ['User 11', ['1011']],
  ['user 1', ['1001', '1010', '1011']],
  ['1007', ['1007']],
  ['@nobody', []],
  ['%', []],
  ['"\'; --', []],
])('/users %s finds %j', async (search, ids) => {
  const { send, answerTo } = await setUp()
  await addUsers(12)

  const answer = (await answerTo(await send(`/users ${search}`, { userId: ADMIN }))) ?? ''

  const found = [...answer.matchAll(/, (\d+) — /g)].map(([, id]) => id)
  expect(found).toEqual(ids)
  if (ids.length === 0) expect(answer).toContain('Nobody.')
})

test('pages are turned by buttons, which keep the search', async () => {
  const { send, press, playground } = await setUp()
  await addUsers(20)
  await send('/users user', { userId: VIEWER })
  const shown = () => playground.transcript(VIEWER).at(-1)

  expect(buttonsOf(shown()).at(-1)).toEqual(['More »'])
  await press(VIEWER, 'More »')
  expect(buttonsOf(shown()).at(-1)).toEqual(['« Back', 'More »'])
  await press(VIEWER, 'More »')

  expect(shown()?.text).toContain('Matches for “user”')
  expect(shown()?.text?.match(/ — /g)).toHaveLength(4)
  expect(buttonsOf(shown())).toEqual([
    ...[['User 16'], ['User 17'], ['User 18'], ['User 19']],
    ['« Back'],
  ])
})

test("a name opens its user's page of spend", async () => {
  const { send, press, playground } = await setUp()
  await addUsers(1)
  await send('/users', { userId: VIEWER })

  await press(VIEWER, 'User 0')

  expect(playground.transcript(VIEWER).at(-1)?.text).toContain('User 0, id 1000')
})

test('a search that no button could keep is refused', async () => {
  const { send, answerTo } = await setUp()

  const answer = await answerTo(await send(`/users ${'имя'.repeat(10)}`, { userId: VIEWER }))

  expect(answer).toContain('too long to search for')
})

test('/stats shows a viewer what goes on, and a user nothing', async () => {
  const { send, answerTo } = await setUp()
  await addUsers(2)

  expect(await answerTo(await send('/stats', { userId: VIEWER }))).toMatch(
    /^Users: 2 in total, 0 today/,
  )
  expect(await answerTo(await send('/stats'))).toContain('don’t know this command')
})
