import { expect, test } from 'vitest'
import { ANNA, BORIS, createBotSetup } from '../bot-setup.ts'
import { labels } from '../conversations/buttons.ts'
import { ended } from '../conversations/ended.ts'

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

test('what others spent of everybody’s limit refuses a user, who reads so; admins read it once', async () => {
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

  setup.playground.userSends({ userId: ANNA, text: 'And now?' })
  await ended(setup, 3)
  expect(setup.textsIn(ANNA)[1]).toMatch(
    /^When you asked, ₽0\.05 of everybody’s shared limit of ₽0\.55 a month was left, and this needs ₽0\.08\. Nothing was charged\.\s+It resets on /,
  )
  expect(setup.textsIn(OLGA)).toHaveLength(1)
})
