import { describe, expect, test } from 'vitest'
import type { Fault } from '../../../../src/playground/checks/faults.ts'
import { pressUnheard } from './buttons.ts'
import { chatEnded, createFaultsSetup, expectGoodManners, strike, turnsOf } from './faults-setup.ts'

describe("a command's answer", () => {
  test.each<Fault>([
    { kind: '429', retryAfter: 1 },
    { kind: '429', retryAfter: 600, times: 2 },
    { kind: 'slow', delayMs: 20_000 },
    { kind: '500' },
    { kind: 'html' },
    { kind: 'dropBefore' },
    { kind: 'dropAfter' },
  ])('comes at most once, and is missing only where nobody knows: %o', async (fault) => {
    const faults = await createFaultsSetup()
    const { setup } = faults
    const bot = await setup.startBot()
    const chatId = faults.addUser()
    const set = strike(setup, { chatId, at: 'send', fault })

    setup.playground.userSends({ userId: chatId, text: '/help' })
    await setup.playground.waitFor(() => set.hits > 0)
    await chatEnded(setup, chatId, 0)

    const isKnown = fault.kind === '429' || fault.kind === 'slow'
    const isShown = isKnown || fault.kind === 'dropAfter'
    expect(setup.textsIn(chatId)).toEqual(isShown ? [expect.stringContaining('/new')] : [])
    if (!isKnown) expect(bot.logged()).toContain('command maybe not answered')
    expectGoodManners(setup, [bot])
  })
})

describe("a button's answer", () => {
  test.each<Fault>([
    { kind: '429', retryAfter: 1 },
    { kind: '429', retryAfter: 600 },
    { kind: '500', times: 2 },
    { kind: 'html' },
    { kind: 'dropBefore' },
    { kind: 'dropAfter' },
    { kind: 'slow', delayMs: 10_000 },
  ])('may fail: what was pressed is done all the same, once: %o', async (fault) => {
    const faults = await createFaultsSetup()
    const { setup } = faults
    const bot = await setup.startBot()
    const chatId = faults.addUser()
    const stopped = await faults.ask(chatId)
    stopped.delta('The beginning')
    await setup.playground.waitFor(() => setup.textsIn(chatId).length === 1)
    const pressed = setup.playground.fault({ ...fault, method: 'answerCallbackQuery' })

    await pressUnheard(setup, 'Stop', { userId: chatId })
    await setup.playground.waitFor(() => setup.textsIn(chatId)[0]?.includes('(Stopped.)'))
    stopped.finish()
    await chatEnded(setup, chatId)
    await setup.playground.waitFor(() => pressed.hits > 0)
    await pressUnheard(setup, 'Retry', { userId: chatId })
    const retried = await faults.nextOf(chatId)
    retried.answer('The whole.')
    await chatEnded(setup, chatId, 2)

    const texts = setup.textsIn(chatId)
    expect(texts).toHaveLength(2)
    expect(texts[1]).toBe('The whole.')
    const charges = (await turnsOf(setup, chatId)).map(({ state, charge }) => [
      state,
      charge.length,
    ])
    expect(charges).toEqual([
      ['stopped', 1],
      ['finished', 1],
    ])
    expectGoodManners(setup, [bot])
  })
})
