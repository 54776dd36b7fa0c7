import { expect, test } from 'vitest'
import { ANNA, type BotSetup, createBotSetup } from '../../bot-setup.ts'
import { labels, press } from '../reply/buttons.ts'
import { ended } from '../turns/ended.ts'
import { beginLongConversation } from './long-conversation.ts'

const OPTIONS = { contextTokens: 1_000_000 }

test('below the answer of a long conversation stands what a summary costs and saves', async () => {
  const setup = await createBotSetup(OPTIONS)
  await beginLongConversation(setup)
  await setup.startBot()

  await say(setup, 'And?', 11)

  // 10,000 tokens at 150 roubles a million, once at 15; 500 at 150 after it.
  expect(setup.textsIn(ANNA).at(-1)).toMatch(
    /^Each message here costs about ₽1\.\d\d .* A summary by beta costs about ₽0\.(18|19) once, .* ₽0\.08\. Details may be lost; .*$/,
  )
  expect(offers(setup)).toEqual([
    [expect.stringMatching(/^Summarize for about ₽0\.(18|19)$/), 'Not now'],
  ])
})

test('an offer comes once, and again when the conversation has doubled', async () => {
  const setup = await createBotSetup(OPTIONS)
  await beginLongConversation(setup)
  await setup.startBot()

  await say(setup, 'one', 11)
  await say(setup, 'two', 12)
  expect(offers(setup)).toHaveLength(1)
  await press(setup, 'Not now')
  await setup.playground.waitFor(() => offers(setup).length === 0)
  await say(setup, 'three', 13)
  expect(offers(setup)).toHaveLength(0)
  await say(setup, 'four', 14, 'doubled '.repeat(8000))

  expect(offers(setup)).toHaveLength(1)
})

test('an offer whose conversation was left is of no use any more, and says so', async () => {
  const setup = await createBotSetup(OPTIONS)
  await beginLongConversation(setup)
  await setup.startBot()
  await say(setup, 'And?', 11)
  setup.playground.userSends({ userId: ANNA, text: '/new' })
  await setup.playground.waitFor(() => setup.textsIn(ANNA).at(-1)?.includes('New conversation'))

  const notice = await press(setup, offers(setup)[0]?.[0] ?? '')

  expect(notice).toContain('nothing to summarize')
  await setup.playground.waitFor(() => offers(setup).length === 0)
  expect(setup.service.completions).toHaveLength(1)
})

test('a price that has risen since the button named it is shown before anything is asked', async () => {
  const setup = await createBotSetup(OPTIONS)
  await beginLongConversation(setup)
  await setup.startBot()
  await say(setup, 'And?', 11)
  await say(setup, 'More', 12, '茶水。'.repeat(2000))
  const [before = ''] = offers(setup)[0] ?? []

  const notice = await press(setup, before)
  await setup.playground.waitFor(() => offers(setup)[0]?.[0] !== before)

  expect(notice).toContain('costs more now')
  expect(before).toMatch(/₽0\.1\d$/)
  expect(offers(setup)[0]?.[0]).toMatch(/₽0\.2\d$/)
  expect(setup.service.completions).toHaveLength(2)
})

async function say(setup: BotSetup, text: string, turns: number, answer = 'Yes.'): Promise<void> {
  setup.playground.userSends({ userId: ANNA, text })
  const completion = await setup.service.next()
  completion.answer(answer)
  await ended(setup, turns)
}

function offers(setup: BotSetup): string[][] {
  return labels(setup, ANNA).filter((texts) => texts.includes('Not now'))
}
