import { expect, test } from 'vitest'
import { ANNA, BORIS } from '../../bot-setup.ts'
import { createClosedSetup, createPresser, OLGA } from './access-setup.ts'

test('an outsider asks, every admin hears of it, one lets them in, and everybody is notified', async () => {
  const { setup, press, sends, requests } = await createClosedSetup()
  setup.service.onCompletion((completion) => {
    completion.answer('Hello!')
  })

  await requests()
  expect(setup.textsIn(ANNA)).toEqual([expect.stringContaining('Request sent')])
  expect(setup.textsIn(OLGA)).toEqual([
    expect.stringMatching(/^Anna asks for access\.\n.*101, language en$/),
  ])
  expect(setup.textsIn(BORIS)).toEqual([expect.stringContaining('Запрос на доступ: Anna')])

  expect(await press(BORIS, 'Дать доступ')).toMatch(/^Доступ дан: Boris, /)
  await setup.playground.waitFor(() => setup.textsIn(OLGA)[0]?.includes('Allowed by Boris'))
  await setup.playground.waitFor(() => setup.textsIn(ANNA).length === 2)
  sends(ANNA, 'Hello?')
  await setup.playground.waitFor(() => setup.textsIn(ANNA).length === 3)

  expect(setup.textsIn(ANNA).slice(1)).toEqual([
    expect.stringContaining('You have access now'),
    'Hello!',
  ])
  expect(createPresser(setup).buttons(OLGA).keyboard).toEqual([])
})

test('of two admins who decide at once one decides, and both learn what', async () => {
  const { setup, press, requests } = await createClosedSetup()
  await requests()

  const notices = await Promise.all([press(OLGA, 'Allow'), press(BORIS, 'Отклонить')])
  await setup.playground.waitFor(() => setup.textsIn(ANNA).length === 2)

  const { admission, admissionById } = await setup.database.prisma.user.findUniqueOrThrow({
    where: { id: ANNA },
  })
  const isAllowed = admission === 'allowed'
  expect(admissionById).toBe(BigInt(isAllowed ? OLGA : BORIS))
  expect(notices[0]).toContain(isAllowed ? 'Allowed by Olga' : 'Declined by Boris')
  expect(notices[1]).toContain(isAllowed ? 'Доступ дан: Olga' : 'Отклонено: Boris')
  expect(setup.textsIn(ANNA)[1]).toContain(
    isAllowed ? 'You have access now' : 'declined your request',
  )
})

test('who was refused may ask again a day later, and not before', async () => {
  const { setup, press, requests, sends } = await createClosedSetup()
  await requests()
  await press(OLGA, 'Decline')
  await setup.playground.waitFor(() => setup.textsIn(ANNA).length === 2)

  sends(ANNA, 'Please?')
  await setup.playground.waitFor(() => setup.textsIn(ANNA).length === 3)
  expect(setup.textsIn(ANNA)[2]).toMatch(/again after \d+ \w+ \d{4}, \d\d:\d\d/)

  const dayAgo = new Date(Date.now() - 86_400_000)
  await setup.database.prisma.user.update({
    where: { id: ANNA },
    data: { admissionAt: dayAgo },
  })
  sends(ANNA, 'Now?')
  await setup.playground.waitFor(() => setup.textsIn(ANNA).length === 4)
  await press(ANNA, 'Ask for access')
  await setup.playground.waitFor(() => setup.textsIn(OLGA).length === 2)

  expect(await press(OLGA, 'Allow')).toContain('Allowed by Olga')
})

test('who is blocked hears nothing any more', async () => {
  const { setup, press, requests, sends } = await createClosedSetup()
  await requests()
  expect(await press(OLGA, 'Block')).toContain('Blocked by Olga')

  sends(ANNA, 'Hello?')
  sends(ANNA, '/start')
  sends(OLGA, '/help')
  await setup.playground.waitFor(() => setup.textsIn(OLGA).length === 2)
  await expect
    .poll(() => setup.database.prisma.update.count({ where: { handledAt: null } }))
    .toBe(0)

  expect(setup.textsIn(ANNA)).toHaveLength(1)
})

test('only admins decide', async () => {
  const { setup, requests } = await createClosedSetup({
    allowedUserIds: new Set([ANNA + 1000]),
  })
  const carl = ANNA + 1000
  setup.playground.addUser({ id: carl, firstName: 'Carl', languageCode: 'en' })
  await requests()
  const { pressData } = createPresser(setup)
  const [request] = setup.playground.transcript(OLGA)
  const messageId = request?.id ?? 0

  const decide = { chatId: OLGA, messageId, data: `access:allow:${ANNA}` }
  expect(await pressData({ ...decide, userId: carl })).toBe('Only admins can do this.')
  expect(await pressData({ ...decide, userId: ANNA })).toContain('Request sent')

  const { admission } = await setup.database.prisma.user.findUniqueOrThrow({ where: { id: ANNA } })
  expect(admission).toBe('requested')
})
