import { expect, test } from 'vitest'
import { EVERYBODY } from '../../../src/bot/spend/limits.ts'
import { ANNA, BORIS, createBotSetup } from '../bot-setup.ts'
import { labels, press, pressUnheard } from '../conversations/buttons.ts'
import { ended } from '../conversations/ended.ts'
import { createPresser } from '../people/access-setup.ts'

/** Reads English. Boris, who is a user, reads Russian. */
const OLGA = 201
const RUB = 1_000_000n

/** Everybody together may spend a month what BUDGET_RUB says; each message costs 0.50 roubles and needs 0.08. */
async function createScene(budgetMicroRub: bigint) {
  const setup = await createBotSetup()
  setup.playground.addUser({ id: OLGA, firstName: 'Olga', languageCode: 'en' })
  await setup.database.prisma.user.create({
    data: { id: OLGA, firstName: 'Olga', languageCode: 'en' },
  })
  await setup.startBot({ adminIds: new Set([OLGA]), budgetMicroRub })
  setup.service.onCompletion((completion) => {
    completion.answer('Hello!')
  })
  return setup
}

test('what others spent of everybody’s limit refuses a user, who reads so; admins read it once, and raise it by a button', async () => {
  const setup = await createScene((55n * RUB) / 100n)
  setup.playground.userSends({ userId: ANNA, text: 'Hello?' })
  await ended(setup)
  setup.playground.userSends({ userId: BORIS, text: 'Привет?' })
  await ended(setup, 2)

  expect(setup.textsIn(BORIS)[0]).toMatch(
    /^На момент запроса оставалось 0,05\u00a0₽ из общего лимита на всех \(0,55\u00a0₽ в месяц\), а на это нужно 0,08\u00a0₽\. Ничего не списано\.\s+Лимит обновится /,
  )
  expect(labels(setup, BORIS)).toEqual([['Попросить поднять лимит', 'Повторить']])
  await setup.playground.waitFor(() => setup.textsIn(OLGA).length === 1)
  expect(setup.textsIn(OLGA)[0]).toMatch(
    /^For admins: the limit for everybody together, ₽0\.55 a month, is reached\. ₽0\.05 is left, and what needs more is refused\. The limit resets on /,
  )
  expect(labels(setup, OLGA)).toEqual([['+50%: ₽1.00', '×2: ₽2.00']])

  setup.playground.userSends({ userId: ANNA, text: 'And now?' })
  await ended(setup, 3)
  expect(setup.textsIn(ANNA)[1]).toMatch(
    /^When you asked, ₽0\.05 of everybody’s shared limit of ₽0\.55 a month was left, and this needs ₽0\.08\. Nothing was charged\.\s+It resets on /,
  )
  expect(setup.textsIn(OLGA)).toHaveLength(1)

  expect(await press(setup, '×2: ₽2.00', { userId: OLGA })).toBe(
    'The limit for everybody together: ₽2.00 a month.',
  )
  await setup.playground.waitFor(() => setup.textsIn(OLGA)[0]?.endsWith('₽2.00 a month.'))
  expect(labels(setup, OLGA)).toEqual([])
  await pressUnheard(setup, 'Retry')
  await setup.playground.waitFor(() => setup.textsIn(ANNA).at(-1) === 'Hello!')
  expect(await setup.database.prisma.change.findMany()).toMatchObject([
    { adminId: BigInt(OLGA), what: 'limit_month', before: '550000', after: '2000000' },
  ])
})

test('only admins raise it, also where others press the button', async () => {
  const setup = await createScene(RUB / 25n)
  setup.playground.userSends({ userId: ANNA, text: 'Hello?' })
  await ended(setup)
  await setup.playground.waitFor(() => setup.textsIn(OLGA).length === 1)

  const { messageId } = createPresser(setup).buttons(OLGA)
  const pressed = await createPresser(setup).pressData({
    ...{ chatId: OLGA, messageId, userId: ANNA, data: 'limit-raise:month:1' },
  })

  expect(pressed).toBe('Only admins can do this.')
  const where = { subjectId: EVERYBODY }
  expect(await setup.database.prisma.spendLimit.findMany({ where })).toMatchObject([
    { amountMicroRub: RUB / 25n },
  ])
})
