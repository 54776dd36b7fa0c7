import { expect, test } from 'vitest'
import { ANNA, BORIS, type BotSetup, createBotSetup } from '../bot-setup.ts'
import type { OpenCompletion } from '../chat-service.ts'
import { labels, press, pressUnheard } from './buttons.ts'
import { ended, turns, until } from './ended.ts'

/** A text of about 1,000 tokens of English. */
const THOUSAND_TOKENS = 'long '.repeat(1100).trim()

const OPTIONS = { contextTokens: 1_000_000 }
const GROUP = -5

test('a tap sums up the conversation in the message of the offer, and the model reads that from then on', async () => {
  const setup = await createBotSetup(OPTIONS)
  await setup.startBot({ systemPrompt: 'You are Kopeck.' })
  await offered(setup)

  await pressUnheard(setup, offer(setup))
  const summary = await setup.service.next()
  summary.answer('They spoke at length.')
  await ended(setup, 12)
  const next = await say(setup, 'And then?', 13)

  expect(summary.request).toMatchObject({ model: 'beta' })
  expect(summary.request.messages).toHaveLength(1 + 22 + 1)
  expect(summary.prompt).toMatch(/^Sum up this conversation/)
  expect(setup.textsIn(ANNA)).toEqual([
    'Yes.',
    expect.stringMatching(
      /^They spoke at length\.\n\n\(That was the summary, written by beta for ₽0\.50\. .*details may be lost/,
    ),
    'Yes.',
  ])
  expect(next.request.messages).toEqual([
    { role: 'system', content: 'You are Kopeck.' },
    { role: 'system', content: expect.stringMatching(/summed up[\s\S]*They spoke at length\.$/) },
    { role: 'user', content: 'And then?' },
  ])
})

test.each([
  ['is refused', (completion: OpenCompletion) => completion.refuse(502), /Nothing was charged/],
  ['breaks off', breakOff, /Half of[\s\S]*so the rest is missing/],
  ['comes empty', (completion: OpenCompletion) => completion.answer('  \n'), /empty answer/],
  ['is cut at its bound', cutShort, /Half of[\s\S]*a part of it is missing/],
])('a summary that %s changes nothing, and says so', async (_how, goWrong, words) => {
  const setup = await createBotSetup(OPTIONS)
  await setup.startBot()
  await offered(setup)

  await pressUnheard(setup, offer(setup))
  goWrong(await setup.service.next())
  await ended(setup, 12)
  const next = await say(setup, 'And then?', 13)

  expect(setup.textsIn(ANNA)[1]).toMatch(words)
  expect(setup.textsIn(ANNA)[1]).toContain('(The conversation stays as it was.)')
  expect(next.request.messages).toHaveLength(23)
  expect((await turns(setup)).every(({ setAsideAt }) => setAsideAt === null)).toBe(true)
})

test('a summary that is stopped changes nothing and is charged; Retry makes it', async () => {
  const setup = await createBotSetup(OPTIONS)
  await setup.startBot()
  await offered(setup)
  await pressUnheard(setup, offer(setup))
  const stopped = await setup.service.next()
  stopped.delta('Half of')
  await press(setup, 'Stop')
  stopped.finish({ costRub: 0.25 })
  await ended(setup, 12)
  expect((await turns(setup)).every(({ setAsideAt }) => setAsideAt === null)).toBe(true)

  await press(setup, 'Retry')
  const again = await setup.service.next()
  again.answer('All of it.')
  await ended(setup, 13)
  const next = await say(setup, 'And then?', 14)

  expect(again.request).toMatchObject({ model: 'beta' })
  expect(again.request.messages).toEqual(stopped.request.messages)
  expect(next.request.messages).toHaveLength(2)
  const charges = (await turns(setup)).flatMap(({ charge }) => charge)
  expect(charges.map(({ kind }) => kind)).toEqual(['answer', 'summary', 'summary', 'answer'])
})

test('a second summary takes up the first', async () => {
  const setup = await createBotSetup(OPTIONS)
  await setup.startBot()
  await offered(setup)
  await pressUnheard(setup, offer(setup))
  ;(await setup.service.next()).answer('The first part.')
  await ended(setup, 12)

  await say(setup, 'Much more', 13, '茶水。'.repeat(4000))
  await seeOffers(setup, 1)
  await pressUnheard(setup, offer(setup))
  const second = await setup.service.next()
  second.answer('Both parts.')
  await ended(setup, 14)
  const next = await say(setup, 'And then?', 15)

  expect(second.request.messages).toMatchObject([
    { role: 'system', content: expect.stringContaining('The first part.') },
    { role: 'user', content: 'Much more' },
    { role: 'assistant' },
    { role: 'user', content: expect.stringMatching(/^Sum up/) },
  ])
  expect(next.request.messages).toMatchObject([
    { role: 'system', content: expect.stringContaining('Both parts.') },
    { role: 'user', content: 'And then?' },
  ])
})

test('a question that comes while the summary is made is answered after it, and not summed up', async () => {
  const setup = await createBotSetup(OPTIONS)
  await setup.startBot()
  await offered(setup)
  await pressUnheard(setup, offer(setup))
  const summary = await setup.service.next()
  summary.delta('All')

  setup.playground.userSends({ userId: ANNA, text: 'Meanwhile?' })
  summary.answer(' of it.')
  const meanwhile = await setup.service.next()
  meanwhile.answer('Yes.')
  await ended(setup, 13)
  const next = await say(setup, 'And then?', 14)

  expect(meanwhile.request.messages).toMatchObject([
    { role: 'system', content: expect.stringContaining('All of it.') },
    { role: 'user', content: 'Meanwhile?' },
  ])
  expect(next.request.messages).toMatchObject([
    { role: 'system' },
    { role: 'user', content: 'Meanwhile?' },
    { role: 'assistant', content: 'Yes.' },
    { role: 'user', content: 'And then?' },
  ])
})

test.each(['before', 'after'] as const)(
  'a crash %s a summary began to show: nothing is half set aside, and it is made or can be retried',
  async (when) => {
    const setup = await createBotSetup(OPTIONS)
    const first = await setup.startBot()
    await offered(setup)
    await pressUnheard(setup, offer(setup))
    const summary = await setup.service.next()
    if (when === 'after') {
      summary.delta('Half')
      await until(async () => (await turns(setup)).at(-1)?.shownText === 'Half')
    }
    await first.kill()

    await setup.startBot()
    if (when === 'before') (await setup.service.next()).answer('All of it.')
    await ended(setup, 12)

    const setAside = (await turns(setup)).filter(({ setAsideAt }) => setAsideAt !== null)
    expect(setAside).toHaveLength(when === 'before' ? 11 : 0)
    expect(setup.textsIn(ANNA)).toHaveLength(when === 'before' ? 2 : 3)
    expect(labels(setup, ANNA)).toEqual(when === 'before' ? [] : [['Retry']])
    const paid = (await turns(setup)).at(-1)?.charge.filter(({ reversalOfId }) => !reversalOfId)
    expect(paid?.at(-1)).toMatchObject({ kind: 'summary', estimated: when === 'after' })
  },
)

test('two taps make one summary', async () => {
  const setup = await createBotSetup(OPTIONS)
  await setup.startBot()
  await offered(setup)

  const taps = [await pressUnheard(setup, offer(setup)), await pressUnheard(setup, offer(setup))]
  ;(await setup.service.next()).answer('All of it.')
  await ended(setup, 12)

  expect(setup.service.completions).toHaveLength(2)
  expect(setup.playground.pressed(taps[1] ?? '')?.answer?.text).toContain('nothing to summarize')
})

test('in a group who taps pays, also for the question of another', async () => {
  const setup = await createBotSetup(OPTIONS)
  await setup.startBot()
  setup.playground.addGroup({ id: GROUP, title: 'Friends', members: [ANNA, BORIS] })
  await beginLongConversation(setup, { chatId: GROUP })
  const text = `@${setup.playground.me.username} And?`
  setup.playground.userSends({ userId: ANNA, chatId: GROUP, text })
  ;(await setup.service.next()).answer('Yes.')
  await setup.playground.waitFor(() => offer(setup, GROUP) !== 'no offer')

  await pressUnheard(setup, offer(setup, GROUP), { userId: BORIS, chatId: GROUP })
  ;(await setup.service.next()).answer('Всё.')
  await ended(setup, 12)

  expect((await turns(setup)).at(-1)?.charge).toMatchObject([{ kind: 'summary', userId: 102n }])
  expect(setup.textsIn(GROUP).at(-1)).toMatch(/^Всё\.\n\n\(Это был пересказ/)
})

test('below the answer of a long conversation stands what a summary costs and saves', async () => {
  const setup = await createBotSetup(OPTIONS)
  await beginLongConversation(setup)
  await setup.startBot()

  await say(setup, 'And?', 11)
  await seeOffers(setup, 1)

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
  await seeOffers(setup, 1)
  await say(setup, 'two', 12)
  expect(offers(setup)).toHaveLength(1)
  await press(setup, 'Not now')
  await setup.playground.waitFor(() => offers(setup).length === 0)
  await say(setup, 'three', 13)
  expect(offers(setup)).toHaveLength(0)
  await say(setup, 'four', 14, '茶水。'.repeat(7000))
  await seeOffers(setup, 1)

  expect(offers(setup)).toHaveLength(1)
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

/** Has a chat's conversation begin with so many thousands of tokens, each the answer of a turn of its own. */
async function beginLongConversation(
  { database }: BotSetup,
  { thousands = 10, chatId = ANNA, userId = ANNA } = {},
): Promise<void> {
  const { prisma } = database
  const user = { id: userId, firstName: 'Anna', languageCode: 'en' }
  await prisma.user.upsert({ where: { id: userId }, create: user, update: {} })
  const { id: conversationId } = await prisma.conversation.create({ data: { chatId } })
  for (let index = 0; index < thousands; index += 1) {
    const messages = [
      { conversationId, role: 'user' as const, content: `Question ${index}` },
      { conversationId, role: 'assistant' as const, content: THOUSAND_TOKENS },
    ]
    const turn = {
      conversationId,
      userId,
      chatId,
      model: 'alpha',
      promptMessageId: 900_000 + index,
    }
    await prisma.turn.create({
      data: { ...turn, state: 'finished', endedAt: new Date(), messages: { create: messages } },
    })
  }
}

async function offered(setup: BotSetup): Promise<void> {
  await beginLongConversation(setup)
  await say(setup, 'And?', 11)
  await seeOffers(setup, 1)
}

async function say(
  setup: BotSetup,
  text: string,
  turnCount: number,
  answer = 'Yes.',
): Promise<OpenCompletion> {
  setup.playground.userSends({ userId: ANNA, text })
  const completion = await setup.service.next()
  completion.answer(answer)
  await ended(setup, turnCount)
  return completion
}

function offer(setup: BotSetup, chatId = ANNA): string {
  const found = labels(setup, chatId).flat()
  return found.find((label) => /^(Summarize|Сделать)/.test(label)) ?? 'no offer'
}

function breakOff(completion: OpenCompletion): void {
  completion.delta('Half of')
  completion.fail('broke off')
}

function cutShort(completion: OpenCompletion): void {
  completion.delta('Half of')
  completion.finish({ finishReason: 'length' })
}

/** An offer comes after its answer has ended. */
async function seeOffers(setup: BotSetup, count: number): Promise<void> {
  await setup.playground.waitFor(() => offers(setup).length === count)
}

function offers(setup: BotSetup): string[][] {
  return labels(setup, ANNA).filter((texts) => texts.includes('Not now'))
}
