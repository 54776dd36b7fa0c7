import type { InlineKeyboardMarkup } from 'grammy/types'
import { expect, test } from 'vitest'
import { createCostNotes } from '../../../../src/bot/spend/cost-notes.ts'
import { ANNA, BORIS, type BotSetup, createBotSetup } from '../../bot-setup.ts'
import { ended, turns } from '../turns/ended.ts'
import { allLabels, press } from './buttons.ts'

const GROUP = -5
const CLARA = 103

test('the cost below an answer shows the receipt, as it was charged', async () => {
  const setup = await createBotSetup()
  await setup.startBot()
  await showAll(setup)
  await ask(setup, { text: 'Hello?', costRub: 0.25 })
  await ask(setup, { text: 'And you?', costRub: 0.0135 })

  await press(setup, 'Receipt: ₽0.01')
  await setup.playground.waitFor(() => setup.textsIn(ANNA).length === 3)

  const [, second] = await turns(setup)
  const [charge] = second?.charge ?? []
  const history = charge?.historyTokens ?? 0
  expect(history).toBeGreaterThan(0)
  expect(setup.textsIn(ANNA).at(-1)?.split('\n')).toEqual([
    expect.stringMatching(/^alpha, /),
    `New words, ${10 - history} tokens: <₽0.01`,
    'History, 2 messages: <₽0.01',
    'Answer, 20 tokens: ₽0.01',
    'Charged: ₽0.01',
    'Request: req',
  ])
  const receipt = setup.playground.transcript(ANNA).at(-1)
  expect(receipt?.replyToMessageId).toBe(second?.messageIds[0])
  expect(receipt?.entities).toMatchObject([{ type: 'date_time' }, { type: 'code', length: 3 }])
})

test('the cost has a row of its own: three buttons beside each other are too wide for a phone', async () => {
  const setup = await createBotSetup()
  await setup.startBot()
  await showAll(setup)

  await ask(setup, { text: 'Hello?', costRub: 0.25 })

  const { replyMarkup } = setup.playground.transcript(ANNA).at(-1) ?? {}
  const rows = (replyMarkup as InlineKeyboardMarkup | undefined)?.inline_keyboard ?? []
  expect(rows.map((row) => row.map(({ text }) => text))).toEqual([
    ['↻ Again', '⇄ Other model'],
    ['Receipt: ₽0.25'],
  ])
})

test('the cost of an answer stays below it when the next one comes', async () => {
  const setup = await createBotSetup()
  await setup.startBot()
  await showAll(setup)
  await ask(setup, { text: 'Hello?', costRub: 0.25 })

  setup.playground.userSends({ userId: ANNA, text: 'And you?' })
  const next = await setup.service.next()
  await setup.playground.waitFor(() => allLabels(setup, ANNA)[0]?.length === 1)
  next.finish()
  await ended(setup, 2)

  expect(allLabels(setup, ANNA)[0]).toEqual(['Receipt: ₽0.25'])
})

test.each([
  ['below the price from which they are shown', { costRub: 4.99 }],
  ['of nothing', { costRub: 0 }],
])('a cost %s is not shown', async (_which, how) => {
  const setup = await createBotSetup()
  await setup.startBot()
  await ask(setup, { text: 'Hello?', ...how })

  expect(allLabels(setup, ANNA).flat().join()).not.toContain('Receipt')
})

// Promise: Prices change, or the service reported no cost
test('a price that changed since, and a cost that the service did not report, change no receipt', async () => {
  const setup = await createBotSetup()
  await setup.startBot()
  await showAll(setup)
  await ask(setup, { text: 'Hello?', costRub: null })
  const data = { promptPriceMicroRub: 2_000_000_000n, amountMicroRub: 32_000n }
  await setup.database.prisma.charge.updateMany({ data })

  await press(setup, 'Receipt: ≈\u00a0₽0.01')
  await setup.playground.waitFor(() => setup.textsIn(ANNA).length === 2)

  expect(setup.textsIn(ANNA).at(-1)).toMatch(
    /New words, 10 tokens: ₽0\.02\nAnswer, 20 tokens: ₽0\.01\nCharged: ₽0\.03, an estimate/,
  )
})

test('where tokens and prices do not come to what the service charged, only the whole has an amount', async () => {
  const setup = await createBotSetup()
  await setup.startBot()
  await showAll(setup)
  await ask(setup, { text: 'Hello?', costRub: 0.5 })

  await press(setup, 'Receipt: ₽0.50')
  await setup.playground.waitFor(() => setup.textsIn(ANNA).length === 2)

  expect(setup.textsIn(ANNA).at(-1)).toMatch(
    /New words, 10 tokens\nAnswer, 20 tokens\nCharged: ₽0\.50\n/,
  )
})

// Promise: A receipt is asked for in a group
test('in a group the receipt goes to who asked, or an admin, in private; others read a sentence', async () => {
  const setup = await createBotSetup()
  await setup.startBot({ adminIds: new Set([CLARA]) })
  await showAll(setup)
  setup.playground.addUser({ id: CLARA, firstName: 'Clara', languageCode: 'en' })
  setup.playground.addGroup({ id: GROUP, title: 'Friends', members: [ANNA, BORIS, CLARA] })
  const text = `@${setup.playground.me.username} Hi`
  setup.playground.userSends({ userId: CLARA, text: '/help' })
  await ask(setup, { text, chatId: GROUP, costRub: 0.25 })

  const pressBy = (userId: number) => press(setup, 'Receipt: ₽0.25', { userId, chatId: GROUP })
  expect(await pressBy(BORIS)).toContain('только тот, кто спросил')
  expect(await pressBy(CLARA)).toContain('sent the receipt')

  expect(setup.textsIn(GROUP)).toEqual([expect.stringMatching(/^Fine\./)])
  expect(setup.textsIn(CLARA).at(-1)).toContain('Charged: ₽0.25')
})

// Promise: A receipt is asked for in a group
test('who never wrote to the bot in private reads how to get the receipt', async () => {
  const setup = await createBotSetup()
  await setup.startBot()
  await showAll(setup)
  setup.playground.addGroup({ id: GROUP, title: 'Friends', members: [ANNA] })
  const text = `@${setup.playground.me.username} Hi`
  await ask(setup, { text, chatId: GROUP, costRub: 0.25 })
  const description = 'Forbidden: bot can’t initiate conversation with a user'
  setup.playground.fault({ kind: 'refuse', status: 403, description, method: 'sendMessage' })

  expect(await press(setup, 'Receipt: ₽0.25', { chatId: GROUP, userId: ANNA })).toContain(
    'press Start',
  )
})

test('a turn that was not asked in the chat of the button has no receipt there', async () => {
  const setup = await createBotSetup()
  await setup.startBot()
  await showAll(setup)
  await ask(setup, { text: 'Hello?', costRub: 0.25 })
  await setup.database.prisma.charge.updateMany({ data: { chatId: BORIS } })

  expect(await press(setup, 'Receipt: ₽0.25')).toContain('no receipt')
})

function showAll({ database }: BotSetup): Promise<void> {
  return createCostNotes(database.prisma).setForAll(0n, { adminId: 1 })
}

async function ask(
  setup: BotSetup,
  { text, chatId = ANNA, costRub }: { text: string; chatId?: number; costRub: number | null },
): Promise<void> {
  const before = await setup.database.prisma.turn.count()
  setup.playground.userSends({ userId: ANNA, chatId, text })
  const completion = await setup.service.next()
  completion.delta('Fine.')
  completion.finish({ costRub })
  await ended(setup, before + 1)
}
