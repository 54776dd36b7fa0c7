import { expect, test } from 'vitest'
import type { OpenCompletion } from '../chat-service.ts'
import { ANNA, BORIS, createHouse } from '../house.ts'
import { labels, press, pressUnheard } from './buttons.ts'
import { ended, turns, until } from './ended.ts'

const GROUP = -5

test.each([
  ['was refused', (completion: OpenCompletion) => completion.refuse(502)],
  [
    'broke off',
    (completion: OpenCompletion) => {
      completion.delta('Half')
      completion.cut()
    },
  ],
])('Retry after an answer that %s answers the same prompt anew, once', async (_how, goWrong) => {
  const house = await createHouse()
  await house.startBot()
  house.playground.userSends({ userId: ANNA, text: 'Hello?' })
  goWrong(await house.service.next())
  await ended(house)
  const failure = house.said(ANNA)[0]

  const presses = [await pressUnheard(house, 'Retry'), await pressUnheard(house, 'Retry')]
  answer(await house.service.next(), 'Hello!')
  await ended(house, 2)

  expect(house.said(ANNA)).toEqual([failure, 'Hello!'])
  expect(labels(house, ANNA)).toEqual([])
  expect(house.service.completions.at(-1)?.request.messages).toEqual([
    { role: 'user', content: 'Hello?' },
  ])
  expect(house.service.completions).toHaveLength(2)
  expect(await turns(house)).toMatchObject([
    { state: 'failed', attempt: 1, setAsideAt: expect.any(Date) },
    { state: 'finished', attempt: 2, setAsideAt: null, charge: [{ estimated: false }] },
  ])
  const notices = presses.map((id) => house.playground.pressed(id)?.answer?.text)
  expect(notices[1]).toContain('nothing left to do')
})

test('Retry after Stop: the model reads the new answer only, both costs are kept', async () => {
  const house = await createHouse()
  await house.startBot()
  house.playground.userSends({ userId: ANNA, text: 'one' })
  const first = await house.service.next()
  first.delta('Half')
  await press(house, 'Stop')
  await house.playground.waitFor(() => labels(house, ANNA).flat().includes('Retry'))
  first.finish({ costRub: 0.25 })
  await ended(house)

  await press(house, 'Retry')
  answer(await house.service.next(), 'Whole.')
  await ended(house, 2)
  house.playground.userSends({ userId: ANNA, text: 'two' })
  const next = await house.service.next()
  answer(next, 'Two.')
  await ended(house, 3)

  expect(next.request.messages).toEqual([
    { role: 'user', content: 'one' },
    { role: 'assistant', content: 'Whole.' },
    { role: 'user', content: 'two' },
  ])
  const costs = (await turns(house)).map(({ charge }) => charge[0]?.amountMicroRub)
  expect(costs).toEqual([250_000n, 500_000n, 500_000n])
})

test('nobody but who asked and admins may press', async () => {
  const house = await createHouse()
  await house.startBot({ adminIds: new Set([ANNA]) })
  house.playground.addUser({ id: 103, firstName: 'Clara', languageCode: 'en' })
  house.playground.addGroup({ id: GROUP, title: 'Friends', members: [ANNA, BORIS, 103] })
  const asked = `@${house.playground.me.username} Hi`
  house.playground.userSends({ userId: BORIS, chatId: GROUP, text: asked })
  const completion = await house.service.next()
  completion.delta('Half')

  const notice = await press(house, 'Остановить', { userId: 103, chatId: GROUP })
  expect(notice).toContain('Only who asked')
  await press(house, 'Остановить', { userId: ANNA, chatId: GROUP })
  completion.finish()
  await ended(house)
  const retried = await press(house, 'Повторить', { userId: 103, chatId: GROUP })
  expect(retried).toContain('Only who asked')
  await press(house, 'Повторить', { userId: BORIS, chatId: GROUP })
  answer(await house.service.next(), 'Whole.')
  await ended(house, 2)

  expect(house.said(GROUP).at(-1)).toBe('Whole.')
})

test('a press for a turn that is not of this chat, or not there at all, gets a notice', async () => {
  const house = await createHouse()
  await house.startBot()
  house.playground.userSends({ userId: ANNA, text: 'Hello?' })
  ;(await house.service.next()).refuse(502)
  await ended(house)
  const [turn] = await turns(house)
  await house.database.prisma.turn.update({
    where: { id: turn?.id ?? 0n },
    data: { chatId: BORIS },
  })

  expect(await press(house, 'Retry')).toContain('nothing left to do')
  await house.playground.waitFor(() => labels(house, ANNA).length === 0)
})

test.each(['before', 'after'] as const)(
  'a crash %s the new answer began to show: the press is carried out once',
  async (when) => {
    const house = await createHouse()
    const first = await house.startBot()
    house.playground.userSends({ userId: ANNA, text: 'Hello?' })
    ;(await house.service.next()).refuse(502)
    await ended(house)
    await press(house, 'Retry')
    const again = await house.service.next()
    if (when === 'after') {
      again.delta('Half')
      await until(async () => (await turns(house))[1]?.shownText === 'Half')
    }
    first.kill()

    await house.startBot()
    if (when === 'before') answer(await house.service.next(), 'Hello!')
    await ended(house, 2)

    const last = when === 'before' ? 'Hello!' : /^Half\n\n\(I was restarted.*Press Retry/
    expect(house.said(ANNA)).toEqual([expect.anything(), expect.stringMatching(last)])
    expect(await house.database.prisma.turn.count()).toBe(2)
    expect(labels(house, ANNA)).toEqual(when === 'before' ? [] : [['Retry']])
  },
)

test('a reply that grows over several messages has its buttons below the last one only', async () => {
  const house = await createHouse()
  await house.startBot()
  house.playground.userSends({ userId: ANNA, text: 'A long story' })
  const completion = await house.service.next()

  completion.delta('A sentence of the story. '.repeat(500))
  await house.playground.waitFor(
    () => house.said(ANNA).length === 2 && labels(house, ANNA).length === 1,
  )
  expect(house.playground.transcript(ANNA).at(-1)?.replyMarkup).toBeDefined()
  completion.finish()
  await ended(house)

  expect(labels(house, ANNA)).toEqual([])
})

function answer(completion: OpenCompletion, text: string): void {
  completion.delta(text)
  completion.finish()
}
