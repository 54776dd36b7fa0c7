import { describe, expect, test, vi } from 'vitest'
import type { Fault, SetFault } from '../../../../src/playground/checks/faults.ts'
import type { BotSetup } from '../../bot-setup.ts'
import {
  chatEnded,
  createFaultsSetup,
  expectGoodManners,
  type FaultsSetup,
  read,
  strike,
  toAnswer,
  toPlain,
  turnsOf,
} from './faults-setup.ts'

const FAULTS: Record<string, Fault> = {
  '429 for 1 s': { kind: '429', retryAfter: 1 },
  '429 for 30 s, three times': { kind: '429', retryAfter: 30, times: 3 },
  '429 for 600 s': { kind: '429', retryAfter: 600 },
  '429 that does not say for how long': { kind: '429', retryAfter: 5, withoutParameters: true },
  '500': { kind: '500' },
  '500 three times': { kind: '500', times: 3 },
  'a page of a gateway': { kind: 'html' },
  'a restart': { kind: 'restart', times: 2 },
  'a reset before the effect': { kind: 'dropBefore' },
  'resets before the effect': { kind: 'dropBefore', times: 3 },
  'a reset after the effect': { kind: 'dropAfter' },
  'resets after the effect': { kind: 'dropAfter', times: 3 },
  '20 s of silence': { kind: 'slow', delayMs: 20_000 },
}

const WHERE = ['first send', 'interim edit', 'final edit', 'second message'] as const
type Where = (typeof WHERE)[number]

/** Sentences of an answer to be struck there; a final edit is one only where the answer fits one message. */
const SENTENCES: Record<Where, number> = {
  'first send': 40,
  'interim edit': 40,
  'final edit': 20,
  'second message': 240,
}

const SERVERS: Record<string, (setup: BotSetup) => void> = {
  'a server of today': () => {},
  'a server without rich messages': ({ playground }) => void playground.fault({ kind: 'noRich' }),
  'a server that refuses what is rich': ({ playground }) =>
    void playground.fault({
      kind: 'refuseRich',
      description: 'RICH_MESSAGE_URL_INVALID',
      times: Number.POSITIVE_INFINITY,
    }),
}

describe.each(Object.entries(SERVERS))('at %s', (_server, prepare) => {
  test.each(Object.entries(FAULTS))('%s', async (_name, fault) => {
    const faults = await createFaultsSetup()
    prepare(faults.setup)
    const bot = await faults.setup.startBot()

    await Promise.all(WHERE.map((where) => answer(faults, { where, fault })))

    expectGoodManners(faults.setup, [bot])
    for (const cause of toCauses(faults.setup)) expect(bot.logged()).toContain(cause)
  })
})

async function answer(
  faults: FaultsSetup,
  { where, fault }: { where: Where; fault: Fault },
): Promise<void> {
  const { setup } = faults
  const chatId = faults.addUser()
  const sentences = toAnswer(SENTENCES[where])
  const struck: SetFault[] = []
  const set = (at: 'send' | 'edit', text?: string) =>
    struck.push(strike(setup, { chatId, at, fault, ...(text !== undefined && { text }) }))
  const isStruck = () => struck.some(({ hits }) => hits > 0)
  if (where === 'first send') set('send')
  const completion = await faults.ask(chatId)
  let sentCount = 0
  /** A rich text that is refused is tried again with more of it. */
  const growUntil = async (look: () => boolean) => {
    for (; !look() && sentCount < SENTENCES[where] - 2; sentCount++) {
      completion.delta(sentences[sentCount] ?? '')
      await faults.clock.sleep(2_500)
      // The clock runs ahead of what goes over HTTP.
      await vi.waitUntil(look, { timeout: 250, interval: 5 }).catch(() => {})
    }
  }

  await growUntil(where === 'first send' ? isStruck : () => setup.textsIn(chatId).length === 1)
  if (where === 'interim edit') {
    set('edit')
    await growUntil(isStruck)
  }
  if (where === 'second message') set('send')
  if (where === 'final edit') set('edit', lastOf(sentences))
  completion.answer(sentences.slice(sentCount).join(''))
  await chatEnded(setup, chatId)

  const shown = read(setup.textsIn(chatId))
  expect(shown.text, where).toBe(toPlain(sentences.join('')))
  expect(struck[0]?.hits, where).toBeGreaterThan(0)
  expect(await turnsOf(setup, chatId), where).toMatchObject([
    { state: 'finished', charge: [{ amountMicroRub: 500_000n, estimated: false }] },
  ])
  // Only a send of which nobody knows may stand there twice.
  const isAmbiguous = ['500', 'html', 'restart', 'dropBefore', 'dropAfter'].includes(fault.kind)
  const isSend = where === 'first send' || where === 'second message'
  if (!isAmbiguous || !isSend) expect(shown.explained, where).toBe(0)
}

function lastOf(sentences: readonly string[]): string {
  return `n${String(sentences.length - 1).padStart(4, '0')}`
}

function toCauses({ playground }: BotSetup): string[] {
  const met = new Set(playground.calls.map((call) => call.fault))
  return [
    ...(met.has('429') ? ['"failure":"flooded"'] : []),
    ...(met.has('500') ? ['500 Internal Server Error'] : []),
    ...(met.has('restart') ? ['500 restart'] : []),
    ...(met.has('html') || met.has('dropBefore') ? ['"failure":"unknown"'] : []),
    ...(met.has('refuseRich') ? ['RICH_MESSAGE_URL_INVALID'] : []),
  ]
}
