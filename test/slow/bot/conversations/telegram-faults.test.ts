import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Fault } from '../../../../src/playground/checks/faults.ts'
import { ended, turns } from '../../../bot/conversations/ended.ts'
import {
  CHARGED_ONCE,
  createFaultsSetup,
  expectGoodManners,
  type FaultsSetup,
  read,
  type Strike,
  strike,
  toAnswer,
  toPlain,
} from '../../../bot/conversations/faults-setup.ts'

/** `SEED=… npx vitest run` repeats what a run printed. */
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000_000)
const CHATS = Number(process.env.CHATS ?? 20)
const PIECES = 6

interface Trap {
  piece: number
  at: Strike
  fault: Fault
}

interface Scene {
  sentences: number
  refusesRich: boolean
  traps: Trap[]
}

const fault: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({
    kind: fc.constant('429' as const),
    retryAfter: fc.constantFrom(1, 3, 9, 35, 120, 600),
    times: fc.integer({ min: 1, max: 2 }),
  }),
  fc.record({ kind: fc.constantFrom('500', 'html', 'restart', 'dropBefore', 'dropAfter') }),
  fc.record({
    kind: fc.constant('slow' as const),
    delayMs: fc.integer({ min: 100, max: 25_000 }),
  }),
)
const trap: fc.Arbitrary<Trap> = fc.record({
  piece: fc.nat({ max: PIECES - 1 }),
  at: fc.constantFrom('send', 'edit', 'write'),
  fault,
})
const scene: fc.Arbitrary<Scene> = fc.record({
  sentences: fc.constantFrom(8, 40, 150, 300),
  refusesRich: fc.boolean(),
  traps: fc.array(trap, { minLength: 1, maxLength: 4 }),
})

describe.each([{ noRich: false }, { noRich: true }])('faults of all kinds at once: %o', (given) => {
  test(`leave every answer whole and once, seed ${SEED}`, { timeout: 60_000 }, async () => {
    const scenes = fc.sample(scene, { seed: SEED, numRuns: CHATS })
    const faults = await createFaultsSetup()
    if (given.noRich) faults.setup.playground.fault({ kind: 'noRich' })
    const bot = await faults.setup.startBot()

    const explained = await Promise.all(scenes.map((one) => play(faults, one)))

    expectGoodManners(faults.setup, [bot])
    const hits = faults.setup.playground.calls.filter((call) => call.fault !== undefined).length
    const copies = explained.reduce((sum, count) => sum + count, 0)
    console.info(`seed ${SEED}: ${CHATS} answers, ${hits} faults, ${copies} copies that say so`)
  })
})

describe('a user who blocks the bot', () => {
  test.each(['before the first word', 'in the middle', 'in the second message'] as const)(
    '%s has a turn that ends and is charged, and gets its rest and further answers once the bot may',
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
      await ended(setup, 1, chatId)
      expect(await turns(setup, chatId)).toMatchObject([CHARGED_ONCE])
      // An edit reaches a chat that takes no more messages.
      const isWhole = read(setup.textsIn(chatId)).text === toPlain(sentences.join(''))
      if (!isWhole) expect(bot.logged()).toContain('reply not wanted any more')
      const refused = setup.playground.calls.filter(
        (call) => call.chatId === chatId && call.method !== 'sendChatAction' && call.status === 403,
      )
      expect(refused.length).toBeLessThanOrEqual(1)
      setup.playground.unblocks(chatId)
      const next = await faults.ask(chatId)
      next.answer('Welcome back.')
      await ended(setup, 2, chatId)

      const isWelcome = (text?: string) => text === 'Welcome back.'
      const first = () => setup.textsIn(chatId).filter((text) => !isWelcome(text))
      await setup.playground.waitFor(() => read(first()).text === toPlain(sentences.join('')))
      expect(setup.textsIn(chatId).filter(isWelcome)).toHaveLength(1)
      expect(await turns(setup, chatId)).toMatchObject([CHARGED_ONCE, CHARGED_ONCE])
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
    await ended(setup, 1, chatId)

    const texts = setup.textsIn(chatId)
    expect(read(isComplete ? [deleted?.text, ...texts] : texts)).toEqual({
      text: toPlain(sentences.join('')),
      explained: 0,
    })
    expect(await turns(setup, chatId)).toMatchObject([CHARGED_ONCE])
    expectGoodManners(setup, [bot])
  })
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
  await ended(setup, 1, chatId)

  expect(read(setup.textsIn(chatId)).text).toBe(toPlain(sentences.join('')))
  expect(await turns(setup, chatId)).toMatchObject([CHARGED_ONCE])
  expectGoodManners(setup, [bot])
})

async function play(
  faults: FaultsSetup,
  { sentences, refusesRich, traps }: Scene,
): Promise<number> {
  const { setup } = faults
  const chatId = faults.addUser()
  if (refusesRich) {
    setup.playground.fault({
      kind: 'refuseRich',
      description: 'RICH_MESSAGE_URL_INVALID',
      times: Number.POSITIVE_INFINITY,
      when: ({ chat_id }) => chat_id === String(chatId),
    })
  }
  const answer = toAnswer(sentences)
  const pieceSize = Math.ceil(sentences / PIECES)
  const completion = await faults.ask(chatId)
  for (let piece = 0; piece < PIECES; piece++) {
    for (const { at, fault } of traps.filter((one) => one.piece === piece)) {
      strike(setup, { chatId, at, fault })
    }
    completion.delta(answer.slice(piece * pieceSize, (piece + 1) * pieceSize).join(''))
    // Long enough for an edit to go out, be it to where there is a ban.
    await faults.clock.sleep(2_500)
  }
  completion.finish()
  await ended(setup, 1, chatId)

  const shown = read(setup.textsIn(chatId))
  const facts = JSON.stringify({ refusesRich, sentences, traps })
  expect(shown.text, facts).toBe(toPlain(answer.join('')))
  expect(await turns(setup, chatId), facts).toMatchObject([CHARGED_ONCE])
  return shown.explained
}
