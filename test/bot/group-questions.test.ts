import { expect, test } from 'vitest'
import type { Playground } from '../../src/playground/playground.ts'
import { ANNA, BORIS, createBotSetup } from './bot-setup.ts'

const VERA = 103
const GROUP = -5
const NAME = '@kopeck_playground_bot'
const RUB = 1_000_000n

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
