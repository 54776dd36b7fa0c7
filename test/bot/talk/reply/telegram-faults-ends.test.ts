import { describe, expect, test } from 'vitest'
import type { Fault } from '../../../../src/playground/checks/faults.ts'
import { until } from '../turns/ended.ts'
import {
  chatEnded,
  createFaultsSetup,
  expectGoodManners,
  read,
  strike,
  toAnswer,
  toPlain,
  turnsOf,
} from './faults-setup.ts'

const CHARGED_ONCE = {
  state: 'finished',
  charge: [{ amountMicroRub: 500_000n, estimated: false }],
} as const

const BAN_MS = 600_000
const BAN: Fault = { kind: '429', retryAfter: 600, times: Number.POSITIVE_INFINITY }

describe('a user who blocks the bot', () => {
  test.each(['before the first word', 'in the middle', 'in the second message'] as const)(
    '%s has a turn that ends and is charged, and is answered again once the bot may',
    async (when) => {
      const faults = await createFaultsSetup()
      const { setup } = faults
      const bot = await setup.startBot()
      const chatId = faults.addUser()
      const sentences = toAnswer(when === 'in the second message' ? 240 : 12)
      const completion = await faults.ask(chatId)

      if (when === 'before the first word') setup.playground.blocks(chatId)
      completion.delta(sentences.slice(0, 2).join(''))
      if (when !== 'before the first word') {
        await setup.playground.waitFor(() => setup.textsIn(chatId).length === 1)
      }
      if (when === 'in the second message') {
        completion.delta(sentences.slice(2, 200).join(''))
        await setup.playground.waitFor(() => setup.textsIn(chatId).length > 1)
        completion.delta(sentences.slice(200).join(''))
      } else completion.delta(sentences.slice(2).join(''))
      if (when !== 'before the first word') setup.playground.blocks(chatId)
      completion.finish()
      await chatEnded(setup, chatId)
      expect(await turnsOf(setup, chatId)).toMatchObject([CHARGED_ONCE])
      // An edit reaches a chat that takes no more messages.
      const isWhole = read(setup.textsIn(chatId)).text === toPlain(sentences.join(''))
      if (!isWhole) expect(bot.logged()).toContain('reply not wanted any more')
      const refused = setup.playground.calls.filter(
        (call) => call.chatId === chatId && call.method !== 'sendChatAction' && call.status === 403,
      )
      expect(refused.length).toBeLessThanOrEqual(1)
      setup.playground.unblocks(chatId)
      const before = setup.textsIn(chatId).length
      const next = await faults.ask(chatId)
      next.answer('Welcome back.')
      await chatEnded(setup, chatId, 2)

      expect(setup.textsIn(chatId).slice(before)).toEqual(['Welcome back.'])
      expect(await turnsOf(setup, chatId)).toMatchObject([CHARGED_ONCE, CHARGED_ONCE])
      expectGoodManners(setup, [bot])
    },
  )
})

describe('a message that its reader deletes while the reply is written', () => {
  test.each([
    { which: 'the only one', count: 12, isComplete: false },
    { which: 'the first of several', count: 240, isComplete: true },
    { which: 'the last of several', count: 240, isComplete: false },
  ])('is sent again unless it was complete: $which', async ({ count, isComplete }) => {
    const faults = await createFaultsSetup()
    const { setup } = faults
    const bot = await setup.startBot()
    const chatId = faults.addUser()
    const sentences = toAnswer(count)
    const shownCount = Math.round(count * 0.6)
    const completion = await faults.ask(chatId)
    completion.delta(sentences.slice(0, shownCount).join(''))
    const lastShown = `n${String(shownCount - 1).padStart(4, '0')}`
    await setup.playground.waitFor(() => setup.textsIn(chatId).at(-1)?.includes(lastShown))

    const shown = setup.playground.transcript(chatId).filter(({ from }) => from === 'bot')
    const deleted = shown.at(isComplete ? 0 : -1)
    setup.playground.userDeletes({ chatId, messageId: deleted?.id ?? 0 })
    completion.answer(sentences.slice(shownCount).join(''))
    await chatEnded(setup, chatId)

    const texts = setup.textsIn(chatId)
    expect(read(isComplete ? [deleted?.text, ...texts] : texts)).toEqual({
      text: toPlain(sentences.join('')),
      explained: 0,
    })
    expect(await turnsOf(setup, chatId)).toMatchObject([CHARGED_ONCE])
    expectGoodManners(setup, [bot])
  })
})

describe('a bot that ends during a ban of 600 s', () => {
  test.each(['kill', 'stop'] as const)(
    'delivers the whole text after the restart, and calls nobody before: %s',
    async (how) => {
      const faults = await createFaultsSetup()
      const { setup } = faults
      const first = await setup.startBot()
      const chatId = faults.addUser()
      const sentences = toAnswer(12)
      const completion = await faults.ask(chatId)
      completion.delta(sentences.slice(0, 2).join(''))
      await setup.playground.waitFor(() => setup.textsIn(chatId).length === 1)
      const ban = strike(setup, { chatId, at: 'write', fault: BAN })
      void faults.clock.sleep(BAN_MS).then(() => ban.end())
      completion.answer(sentences.slice(2).join(''))
      await until(async () => (await turnsOf(setup, chatId))[0]?.state === 'finished')
      await until(async () => (await setup.database.prisma.floodWait.count()) === 1)

      if (how === 'kill') await first.kill()
      else await first.stop(20_000)
      const second = await setup.startBot()
      await chatEnded(setup, chatId)

      expect(read(setup.textsIn(chatId))).toEqual({
        text: toPlain(sentences.join('')),
        explained: 0,
      })
      expect(await turnsOf(setup, chatId)).toMatchObject([CHARGED_ONCE])
      expect(ban.hits).toBe(1)
      expectGoodManners(setup, [first, second])
    },
  )
})

test('a gateway that knows nothing for ten minutes delays the text, and loses none of it', async () => {
  const faults = await createFaultsSetup()
  const { setup } = faults
  const bot = await setup.startBot()
  const chatId = faults.addUser()
  const sentences = toAnswer(12)
  const outage = strike(setup, {
    chatId,
    at: 'write',
    fault: { kind: 'html', times: Number.POSITIVE_INFINITY },
  })
  const completion = await faults.ask(chatId)

  for (const sentence of sentences) completion.delta(sentence)
  completion.finish()
  await setup.playground.waitFor(() => outage.hits > 0)
  await faults.clock.sleep(600_000)
  outage.end()
  await chatEnded(setup, chatId)

  expect(read(setup.textsIn(chatId)).text).toBe(toPlain(sentences.join('')))
  expect(await turnsOf(setup, chatId)).toMatchObject([CHARGED_ONCE])
  expectGoodManners(setup, [bot])
})
