import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Fault } from '../../../../src/playground/checks/faults.ts'
import {
  chatEnded,
  createFaultsSetup,
  expectGoodManners,
  type FaultsSetup,
  read,
  type Strike,
  strike,
  toAnswer,
  toPlain,
  turnsOf,
} from './faults-setup.ts'

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
  await chatEnded(setup, chatId)

  const shown = read(setup.textsIn(chatId))
  const facts = JSON.stringify({ refusesRich, sentences, traps })
  expect(shown.text, facts).toBe(toPlain(answer.join('')))
  expect(await turnsOf(setup, chatId), facts).toMatchObject([
    { state: 'finished', charge: [{ amountMicroRub: 500_000n, estimated: false }] },
  ])
  return shown.explained
}
