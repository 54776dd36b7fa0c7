import { describe, expect, test } from 'vitest'
import type { Fault } from '../../../src/playground/faults.ts'
import { pressUnheard } from './buttons.ts'
import { chatEnded, createFaultStage, expectGoodManners, strike, turnsOf } from './fault-stage.ts'

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
    const stage = await createFaultStage()
    const { house } = stage
    const bot = await house.startBot()
    const chatId = stage.addUser()
    const set = strike(house, { chatId, at: 'send', fault })

    house.playground.userSends({ userId: chatId, text: '/help' })
    await house.playground.waitFor(() => set.hits > 0)
    await chatEnded(house, chatId, 0)

    const isKnown = fault.kind === '429' || fault.kind === 'slow'
    const isShown = isKnown || fault.kind === 'dropAfter'
    expect(house.said(chatId)).toEqual(isShown ? [expect.stringContaining('/new')] : [])
    if (!isKnown) expect(bot.logged()).toContain('command maybe not answered')
    expectGoodManners(house, [bot])
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
    const stage = await createFaultStage()
    const { house } = stage
    const bot = await house.startBot()
    const chatId = stage.addUser()
    const stopped = await stage.ask(chatId)
    stopped.delta('The beginning')
    await house.playground.waitFor(() => house.said(chatId).length === 1)
    const pressed = house.playground.fault({ ...fault, method: 'answerCallbackQuery' })

    await pressUnheard(house, 'Stop', { userId: chatId })
    await house.playground.waitFor(() => house.said(chatId)[0]?.includes('(Stopped.)'))
    stopped.finish()
    await chatEnded(house, chatId)
    await house.playground.waitFor(() => pressed.hits > 0)
    await pressUnheard(house, 'Retry', { userId: chatId })
    const retried = await stage.nextOf(chatId)
    retried.delta('The whole.')
    retried.finish()
    await chatEnded(house, chatId, 2)

    const said = house.said(chatId)
    expect(said).toHaveLength(2)
    expect(said[1]).toBe('The whole.')
    const charges = (await turnsOf(house, chatId)).map(({ state, charge }) => [
      state,
      charge.length,
    ])
    expect(charges).toEqual([
      ['stopped', 1],
      ['finished', 1],
    ])
    expectGoodManners(house, [bot])
  })
})
