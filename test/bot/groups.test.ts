import { describe, expect, test } from 'vitest'
import type { Playground } from '../../src/playground/playground.ts'
import { ANNA, BORIS, type BotSetup, createBotSetup } from './bot-setup.ts'

const GROUP = -5
const FORUM = -1_001_234_567_890
const NAME = '@kopeck_playground_bot'

const VERA = 103
const RUB = 1_000_000n

describe('in a group', () => {
  test('the name alone, in reply to a message, asks about that one', async () => {
    const { playground, requests, answered } = await createGroupHouse()
    const asked = playground.userSends({ userId: ANNA, chatId: GROUP, text: 'What is 2 + 2?' })

    const replyToMessageId = asked.message_id
    playground.userSends({ userId: BORIS, chatId: GROUP, text: NAME, replyToMessageId })
    await answered(1, GROUP)

    expect(requests[0]?.[0]?.content).toContain('> What is 2 + 2?')
  })

  test('only what is meant for the bot is answered, and the model reads who asked', async () => {
    const { setup, playground, requests, answered, handled } = await createGroupHouse()
    const others = ['Hello all', '/help@another_bot', '/nothing', `${NAME}s hi`, `x${NAME}`]

    for (const text of others) playground.userSends({ userId: ANNA, chatId: GROUP, text })
    playground.userSends({ userId: ANNA, chatId: GROUP, sticker: { bytes: new Uint8Array([1]) } })
    await handled()
    expect(setup.textsIn(GROUP)).toEqual([])

    playground.userSends({ userId: ANNA, chatId: GROUP, text: `${NAME}, who am I?` })
    const { id } = await answered(1, GROUP)
    playground.userSends({ userId: BORIS, chatId: GROUP, text: 'And I?', replyToMessageId: id })
    await answered(2, GROUP)

    expect(requests[1]).toEqual([
      { role: 'user', content: 'Anna: who am I?' },
      { role: 'assistant', content: 'Answer 1' },
      { role: 'user', content: expect.stringMatching(/^Boris: And I\?$/m) },
    ])
  })

  test('commands are answered with and without the name, unknown ones with it only', async () => {
    const { setup, playground, handled } = await createGroupHouse({ adminIds: new Set([ANNA]) })

    for (const text of ['/stop', `/stop${NAME}`, `/nothing${NAME}`, '/nothing', '/spend', NAME]) {
      playground.userSends({ userId: ANNA, chatId: GROUP, text })
    }
    await playground.waitFor(() => setup.textsIn(GROUP).length === 5)
    await handled()

    // A /stop does not wait for what came before it.
    expect(setup.textsIn(GROUP).sort()).toEqual([
      expect.stringContaining('don’t know this command'),
      'Nothing is being written right now.',
      'Nothing is being written right now.',
      expect.stringContaining('only in our private chat'),
      expect.stringContaining('after my name'),
    ])
  })

  test('an anonymous admin asks as the group, channels and forwards of them are not heard', async () => {
    const { playground, database, requests, answered, handled } = await createGroupHouse()
    const channel = { id: -1_009_999_999_999, type: 'channel' as const, title: 'News' }
    const asked = { userId: ANNA, chatId: GROUP }

    playground.userSends({ ...asked, text: `${NAME} buy!`, as: channel })
    playground.userSends({ ...asked, text: `${NAME} who?`, as: 'group' })
    await answered(1, GROUP)
    await handled()

    expect(requests).toEqual([[{ role: 'user', content: 'Friends: who?' }]])
    const [charge] = await database.prisma.charge.findMany({ include: { user: true } })
    expect(charge?.user).toMatchObject({ id: BigInt(GROUP), firstName: 'Friends' })
  })
})

test('every topic has a conversation of its own, General as well', async () => {
  const { playground, requests, answered } = await createGroupHouse()
  playground.addGroup({ id: FORUM, title: 'Club', members: [ANNA], isForum: true })
  const threadId = playground.addTopic(FORUM, 'Cats')
  const ask = (text: string, thread?: number) =>
    playground.userSends({
      userId: ANNA,
      chatId: FORUM,
      text: `${NAME} ${text}`,
      ...(thread && { threadId: thread }),
    })

  ask('in General')
  await answered(1, FORUM)
  ask('about cats', threadId)
  const answer = await answered(2, FORUM)
  ask('more cats', threadId)
  await answered(3, FORUM)

  expect(answer.threadId).toBe(threadId)
  expect(requests.map((messages) => messages.length)).toEqual([1, 1, 3])
})

test('a group that becomes a supergroup keeps its history and its costs', async () => {
  const { playground, database, requests, answered } = await createGroupHouse()
  const asked = { userId: ANNA, chatId: GROUP, as: 'group' as const }
  playground.userSends({ ...asked, text: `${NAME} remember 7` })
  await answered(1, GROUP)
  await expect.poll(() => database.prisma.update.count({ where: { handledAt: null } })).toBe(0)

  playground.migrates(GROUP, FORUM)
  playground.userSends({ ...asked, chatId: FORUM, text: `${NAME} what was it?` })
  await answered(2, FORUM)

  expect(requests[1]?.map(({ content }) => content)).toEqual([
    'Friends: remember 7',
    'Answer 1',
    'Friends: what was it?',
  ])
  expect(await database.prisma.user.findUnique({ where: { id: GROUP } })).toBeNull()
  await expect.poll(() => database.prisma.charge.count({ where: { userId: FORUM } })).toBe(2)
})

test('of three who ask at once amid chatter each gets the answer as a reply, and pays for it', async () => {
  const { playground, service, database, says, asks } = await createGroup()
  const costs: Record<string, number> = { one: 1, two: 2, three: 3 }

  says(VERA, 'Has anybody seen my keys?')
  const one = asks(ANNA, 'one')
  says(BORIS, 'On the table')
  const two = asks(BORIS, 'two')
  const three = asks(VERA, 'three')
  says(ANNA, 'No, in the hall')
  for (const _ of [one, two, three]) {
    const completion = await service.next()
    const [, asked = ''] = /: (\w+)$/.exec(completion.prompt) ?? []
    says(BORIS, `Meanwhile, before ${asked} is answered`)
    completion.delta(`On ${asked}`)
    completion.finish({ costRub: costs[asked] ?? 0 })
  }

  expect(await answerIn(playground, 'On one')).toMatchObject({ replyToMessageId: one })
  expect(await answerIn(playground, 'On two')).toMatchObject({ replyToMessageId: two })
  expect(await answerIn(playground, 'On three')).toMatchObject({ replyToMessageId: three })
  const select = { userId: true, chatId: true, amountMicroRub: true } as const
  await expect
    .poll(() => database.prisma.charge.findMany({ select, orderBy: { userId: 'asc' } }))
    .toEqual([
      { userId: BigInt(ANNA), chatId: BigInt(GROUP), amountMicroRub: 1n * RUB },
      { userId: BigInt(BORIS), chatId: BigInt(GROUP), amountMicroRub: 2n * RUB },
      { userId: BigInt(VERA), chatId: BigInt(GROUP), amountMicroRub: 3n * RUB },
    ])
})

test('a question that was deleted meanwhile is answered all the same, as a reply to nothing', async () => {
  const { playground, service, asks } = await createGroup()
  const messageId = asks(ANNA, 'one')
  const completion = await service.next()

  playground.userDeletes({ chatId: GROUP, messageId })
  completion.delta('On one')
  completion.finish()

  expect((await answerIn(playground, 'On one')).replyToMessageId).toBeUndefined()
})

async function createGroupHouse(settings: Parameters<BotSetup['startBot']>[0] = {}) {
  const setup = await createBotSetup()
  const { playground, service, database } = setup
  playground.addGroup({ id: GROUP, title: 'Friends', members: [ANNA, BORIS] })
  playground.setBotStatus(GROUP, 'administrator')
  await setup.startBot(settings)
  const requests: { role: string; content: string }[][] = []
  service.onCompletion((completion) => {
    requests.push([...completion.request.messages])
    completion.answer(`Answer ${requests.length}`)
  })
  return { setup, playground, database, requests, answered, handled }

  function answered(number: number, chatId: number) {
    return playground.waitFor((it) =>
      it.transcript(chatId).find(({ text }) => text === `Answer ${number}`),
    )
  }

  async function handled(): Promise<void> {
    playground.userSends({ userId: BORIS, text: '/stop' })
    await playground.waitFor(() => setup.textsIn(BORIS).length > 0)
    await expect.poll(() => database.prisma.update.count({ where: { handledAt: null } })).toBe(0)
  }
}

async function createGroup() {
  const setup = await createBotSetup()
  const { playground, service } = setup
  playground.addUser({ id: VERA, firstName: 'Vera', languageCode: 'en' })
  playground.addGroup({ id: GROUP, title: 'Friends', members: [ANNA, BORIS, VERA] })
  playground.setBotStatus(GROUP, 'administrator')
  await setup.startBot()
  return { ...setup, playground, service, says, asks }

  function says(userId: number, text: string, chatId = GROUP): number {
    return playground.userSends({ userId, chatId, text }).message_id
  }

  function asks(userId: number, question: string): number {
    return says(userId, `${NAME} ${question}`)
  }
}

function answerIn(playground: Playground, text: string, chatId = GROUP) {
  return playground.waitFor((it) => it.transcript(chatId).find((one) => one.text === text))
}
