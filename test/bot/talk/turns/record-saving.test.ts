import { expect, onTestFinished, test } from 'vitest'
import { recordSaving } from '../../../../src/bot/talk/turns/record-saving.ts'
import { openTestDatabase } from '../../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../../platform/database/test-database.ts'

const ANNA = 700

test('the sixth answer after a summary shows what the five before it saved, less the summary', async () => {
  const conversation = await summedUp()
  for (let answers = 0; answers < 5; answers += 1) {
    expect(await conversation.savedOn(await conversation.begin())).toBeNull()
    await conversation.answer()
  }

  // Five times 20,000 less 500 tokens at 150 roubles a million, less 0.50.
  expect(await conversation.savedOn(await conversation.begin())).toBe(14_125_000n)
  await conversation.answer()
  expect(await conversation.savedOn(await conversation.begin())).toBeNull()
})

test('a summary that has saved nothing yet, or was not counted, is not spoken of', async () => {
  const cheap = await summedUp({ promptPriceMicroRub: 100n })
  const uncounted = await summedUp({ historyTokens: null })

  for (const conversation of [cheap, uncounted]) {
    for (let answers = 0; answers < 5; answers += 1) await conversation.answer()
    expect(await conversation.savedOn(await conversation.begin())).toBeNull()
  }
})

/** A conversation whose 20,000 tokens were summed up in 500 of them, for half a rouble. */
async function summedUp({
  promptPriceMicroRub = 150_000_000n,
  historyTokens = 20_000,
}: {
  promptPriceMicroRub?: bigint
  historyTokens?: number | null
} = {}) {
  const database = openTestDatabase({ url: await createTestDatabase() })
  onTestFinished(database.close)
  const { prisma } = database
  await prisma.user.create({ data: { id: ANNA, firstName: 'Anna' } })
  const { id: conversationId } = await prisma.conversation.create({ data: { chatId: ANNA } })
  let promptMessageId = 0
  const summaryId = await begin('summary')
  const counted = { historyTokens, completionTokens: 500 }
  await charge(summaryId, { kind: 'summary', amountMicroRub: 500_000n, ...counted })
  return { begin, answer, savedOn }

  async function begin(kind: 'answer' | 'summary' = 'answer'): Promise<bigint> {
    promptMessageId += 1
    const turn = { kind, conversationId, userId: ANNA, chatId: ANNA, promptMessageId, model: 'm' }
    return (await prisma.turn.create({ data: turn })).id
  }

  async function answer(): Promise<void> {
    const id = await begin()
    await prisma.turn.update({ where: { id }, data: { state: 'finished' } })
    await charge(id, { kind: 'answer', amountMicroRub: 90_000n, promptPriceMicroRub })
  }

  async function savedOn(id: bigint): Promise<bigint | null> {
    await recordSaving(prisma, { id, conversationId }, summaryId)
    return (await prisma.turn.findUniqueOrThrow({ where: { id } })).savedMicroRub
  }

  async function charge(turnId: bigint, facts: Facts): Promise<void> {
    const of = { userId: ANNA, chatId: ANNA, turnId, request: 1, item: 'm', day: new Date() }
    await prisma.charge.create({ data: { ...of, ...facts } })
  }
}

interface Facts {
  kind: 'answer' | 'summary'
  amountMicroRub: bigint
  promptPriceMicroRub?: bigint
  historyTokens?: number | null
  completionTokens?: number
}
