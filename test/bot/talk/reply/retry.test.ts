import { expect, test } from 'vitest'
import { ANNA, BORIS, createBotSetup } from '../../bot-setup.ts'
import type { OpenCompletion } from '../../chat-service.ts'
import { ended, turns } from '../turns/ended.ts'
import { labels, press, pressUnheard } from './buttons.ts'

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
])('Retry after an answer that %s answers the same prompt again, once', async (_how, goWrong) => {
  const setup = await createBotSetup()
  await setup.startBot()
  setup.playground.userSends({ userId: ANNA, text: 'Hello?' })
  goWrong(await setup.service.next())
  await ended(setup)
  const failure = setup.textsIn(ANNA)[0]

  const presses = [await pressUnheard(setup, 'Retry'), await pressUnheard(setup, 'Retry')]
  answer(await setup.service.next(), 'Hello!')
  await ended(setup, 2)

  expect(setup.textsIn(ANNA)).toEqual([failure, 'Hello!'])
  expect(labels(setup, ANNA)).toEqual([])
  expect(setup.service.completions.at(-1)?.request.messages).toEqual([
    { role: 'user', content: 'Hello?' },
  ])
  expect(setup.service.completions).toHaveLength(2)
  expect(await turns(setup)).toMatchObject([
    { state: 'failed', attempt: 1, setAsideAt: expect.any(Date) },
    { state: 'finished', attempt: 2, setAsideAt: null, charge: [{ estimated: false }] },
  ])
  const notices = presses.map((id) => setup.playground.pressed(id)?.answer?.text)
  expect(notices[1]).toContain('decided already')
})

test('Retry after Stop: the model reads the new answer only, both costs are kept', async () => {
  const setup = await createBotSetup()
  await setup.startBot()
  setup.playground.userSends({ userId: ANNA, text: 'one' })
  const first = await setup.service.next()
  first.delta('Half')
  await press(setup, 'Stop')
  await setup.playground.waitFor(() => labels(setup, ANNA).flat().includes('Retry'))
  first.finish({ costRub: 0.25 })
  await ended(setup)

  await press(setup, 'Retry')
  answer(await setup.service.next(), 'Whole.')
  await ended(setup, 2)
  setup.playground.userSends({ userId: ANNA, text: 'two' })
  const next = await setup.service.next()
  answer(next, 'Two.')
  await ended(setup, 3)

  expect(next.request.messages).toEqual([
    { role: 'user', content: 'one' },
    { role: 'assistant', content: 'Whole.' },
    { role: 'user', content: 'two' },
  ])
  const costs = (await turns(setup)).map(({ charge }) => charge[0]?.amountMicroRub)
  expect(costs).toEqual([250_000n, 500_000n, 500_000n])
})

test('only the user who asked and admins may press a button of a reply', async () => {
  const setup = await createBotSetup()
  await setup.startBot({ adminIds: new Set([ANNA]) })
  setup.playground.addUser({ id: 103, firstName: 'Clara', languageCode: 'en' })
  setup.playground.addGroup({ id: GROUP, title: 'Friends', members: [ANNA, BORIS, 103] })
  const asked = `@${setup.playground.me.username} Hi`
  setup.playground.userSends({ userId: BORIS, chatId: GROUP, text: asked })
  const completion = await setup.service.next()
  completion.delta('Half')

  const notice = await press(setup, 'Остановить', { userId: 103, chatId: GROUP })
  expect(notice).toContain('Only the person who asked')
  await press(setup, 'Остановить', { userId: ANNA, chatId: GROUP })
  completion.finish()
  await ended(setup)
  const retried = await press(setup, 'Повторить', { userId: 103, chatId: GROUP })
  expect(retried).toContain('Only the person who asked')
  await press(setup, 'Повторить', { userId: BORIS, chatId: GROUP })
  answer(await setup.service.next(), 'Whole.')
  await ended(setup, 2)

  expect(setup.textsIn(GROUP).at(-1)).toBe('Whole.')
})

test('a press for a turn that is not of this chat, or not there at all, gets a notice', async () => {
  const setup = await createBotSetup()
  await setup.startBot()
  setup.playground.userSends({ userId: ANNA, text: 'Hello?' })
  ;(await setup.service.next()).refuse(502)
  await ended(setup)
  const [turn] = await turns(setup)
  await setup.database.prisma.turn.update({
    where: { id: turn?.id ?? 0n },
    data: { chatId: BORIS },
  })

  expect(await press(setup, 'Retry')).toContain('decided already')
  await setup.playground.waitFor(() => labels(setup, ANNA).length === 0)
})

test('a reply that grows over several messages has its buttons below the last one only', async () => {
  const setup = await createBotSetup()
  await setup.startBot()
  setup.playground.userSends({ userId: ANNA, text: 'A long story' })
  const completion = await setup.service.next()

  completion.delta('A sentence of the story. '.repeat(200))
  await setup.playground.waitFor(
    () => setup.textsIn(ANNA).length === 2 && labels(setup, ANNA).length === 1,
  )
  expect(setup.playground.transcript(ANNA).at(-1)?.replyMarkup).toBeDefined()
  completion.finish()
  await ended(setup)

  expect(labels(setup, ANNA)).toEqual([])
})

function answer(completion: OpenCompletion, text: string): void {
  completion.answer(text)
}
