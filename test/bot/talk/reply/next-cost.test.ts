import { expect, test } from 'vitest'
import { createCostNotes } from '../../../../src/bot/spend/cost-notes.ts'
import { ANNA, createBotSetup } from '../../bot-setup.ts'
import { ended } from '../turns/ended.ts'

/** 3,000 letters of English are 540 tokens, at 150 roubles a million. */
const ANSWER = 'word '.repeat(600).trim()

test.each([
  ['from which the admins want to know', 50_000n, /\(Next: ≈\u00a0₽0\.08 \+ answer\)$/],
  ['below what they set', 5_000_000n, /word$/],
  ['while they want no such line', 'off', /word$/],
] as const)(
  'a reply shows what the next message costs: at a price %s',
  async (_which, from, shown) => {
    const setup = await createBotSetup({ contextTokens: 1_000_000 })
    await createCostNotes(setup.database.prisma).setForAll(from, { adminId: 1 })
    await setup.startBot()

    setup.playground.userSends({ userId: ANNA, text: 'Many words, please' })
    const completion = await setup.service.next()
    completion.answer(ANSWER)
    await ended(setup)

    expect(setup.textsIn(ANNA).at(-1)).toMatch(shown)
  },
)

test('an instruction goes out after the system prompt, to the next conversation as well', async () => {
  const setup = await createBotSetup()
  await setup.startBot({ systemPrompt: 'You are Kopeck.' })
  setup.playground.userSends({ userId: ANNA, text: '/system Answer in verse.' })
  setup.playground.userSends({ userId: ANNA, text: '/new' })

  setup.playground.userSends({ userId: ANNA, text: 'Hello' })
  const completion = await setup.service.next()
  completion.answer('Hi.')
  await ended(setup)

  expect(completion.request.messages).toEqual([
    { role: 'system', content: 'You are Kopeck.' },
    { role: 'system', content: 'Answer in verse.' },
    { role: 'user', content: 'Hello' },
  ])
})
