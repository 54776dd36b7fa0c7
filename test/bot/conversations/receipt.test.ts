import { expect, test } from 'vitest'
import { StoredSettings } from '../../../src/bot/stored-settings.ts'
import { ANNA, BORIS, type BotSetup, createBotSetup } from '../bot-setup.ts'
import { allLabels, press } from './buttons.ts'
import { ended, turns } from './ended.ts'

const GROUP = -5
const CLARA = 103

/** 3,000 letters of English are 540 tokens, at 150 roubles a million. */
const ANSWER = 'word '.repeat(600).trim()

test('the cost below an answer shows the receipt, as it was charged', async () => {
  const setup = await createBotSetup()
  await setup.startBot()
  await showAll(setup)
  await ask(setup, { text: 'Hello?', costRub: 0.25 })
  await ask(setup, { text: 'And you?', costRub: 0.0135 })

  await press(setup, 'Receipt: ₽0.01')
  await setup.playground.waitFor(() => setup.textsIn(ANNA).length === 3)

  const [, second] = await turns(setup)
  expect(setup.textsIn(ANNA).at(-1)?.split('\n')).toEqual([
    expect.stringMatching(/^alpha, /),
    'Sent, 10 tokens',
    'History, 2 messages',
    'Answer, 20 tokens',
    'Charged: ₽0.01',
    'Request: req',
  ])
  const receipt = setup.playground.transcript(ANNA).at(-1)
  expect(receipt?.replyToMessageId).toBe(second?.messageIds[0])
  expect(receipt?.entities).toMatchObject([{ type: 'date_time' }, { type: 'code', length: 3 }])
})

test('a cost below the price from which they are shown is not shown', async () => {
  const setup = await createBotSetup()
  await setup.startBot()
  await ask(setup, { text: 'Hello?', costRub: 4.99 })

  expect(allLabels(setup, ANNA).flat().join()).not.toContain('Receipt')
})

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
    /Sent, 10 tokens\nAnswer, 20 tokens\nCharged: ₽0\.03, an estimate/,
  )
})

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

test('a turn that was not asked in the chat of the button has no receipt there', async () => {
  const setup = await createBotSetup()
  await setup.startBot()
  await showAll(setup)
  await ask(setup, { text: 'Hello?', costRub: 0.25 })
  await setup.database.prisma.charge.updateMany({ data: { chatId: BORIS } })

  expect(await press(setup, 'Receipt: ₽0.25')).toContain('no receipt')
})

test('a reply shows what the next message costs, from the price that admins set', async () => {
  const setup = await createBotSetup({ contextTokens: 1_000_000 })
  await new StoredSettings(setup.database.prisma).set({ costNote: 50_000n }, { adminId: 1 })
  await setup.startBot()

  setup.playground.userSends({ userId: ANNA, text: 'Many words, please' })
  ;(await setup.service.next()).answer(ANSWER)
  await ended(setup)

  expect(setup.textsIn(ANNA).at(-1)).toMatch(/\(Next: ≈\u00a0₽0\.08 \+ answer\)$/)
})

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

function showAll({ database }: BotSetup): Promise<void> {
  return new StoredSettings(database.prisma).set({ costNote: 0n }, { adminId: 1 })
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
