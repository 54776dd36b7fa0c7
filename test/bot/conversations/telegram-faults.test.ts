import { expect, test, vi } from 'vitest'
import type { Fault, SetFault } from '../../../src/playground/checks/faults.ts'
import { ended, turns, until } from './ended.ts'
import {
  CHARGED_ONCE,
  createFaultsSetup,
  expectGoodManners,
  type FaultsSetup,
  read,
  strike,
  toAnswer,
  toPlain,
} from './faults-setup.ts'

const FAULTS: Fault[] = [
  { kind: '429', retryAfter: 1 },
  { kind: '429', retryAfter: 30, times: 3 },
  { kind: '429', retryAfter: 600 },
  { kind: '429', retryAfter: 5, withoutParameters: true },
  { kind: '500' },
  { kind: '500', times: 3 },
  { kind: 'html' },
  { kind: 'restart', times: 2 },
  { kind: 'dropBefore' },
  { kind: 'dropBefore', times: 3 },
  { kind: 'dropAfter' },
  { kind: 'dropAfter', times: 3 },
  { kind: 'slow', delayMs: 20_000 },
]

const BAN_MS = 600_000
const BAN: Fault = { kind: '429', retryAfter: 600, times: Number.POSITIVE_INFINITY }

const WHERE = ['first send', 'interim edit', 'final edit', 'second message'] as const
type Where = (typeof WHERE)[number]

/** Sentences of an answer to be struck there; a final edit is one only where the answer fits one message. */
const SENTENCES: Record<Where, number> = {
  'first send': 40,
  'interim edit': 40,
  'final edit': 20,
  'second message': 240,
}

test('each fault at each point of a reply leaves the answer whole and charged once', async () => {
  const faults = await createFaultsSetup()
  const bot = await faults.setup.startBot()
  const strikes = WHERE.flatMap((where) => FAULTS.map((fault) => ({ where, fault })))

  await Promise.all(strikes.map((one) => answer(faults, one)))

  expectGoodManners(faults.setup, [bot])
})

test('a bot that is killed during a ban of 600 s delivers the whole text after it, and asks once more before', async () => {
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
  await until(async () => (await turns(setup, chatId))[0]?.state === 'finished')
  await until(async () => ban.hits === 1)

  await first.kill()
  await setup.startBot()
  await ended(setup, 1, chatId)

  const whole = { text: toPlain(sentences.join('')), explained: 0 }
  expect(read(setup.textsIn(chatId))).toEqual(whole)
  expect(await turns(setup, chatId)).toMatchObject([CHARGED_ONCE])
  expect(ban.hits).toBe(2)
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
  await ended(setup, 1, chatId)

  const shown = read(setup.textsIn(chatId))
  expect(shown.text, where).toBe(toPlain(sentences.join('')))
  expect(struck[0]?.hits, where).toBeGreaterThan(0)
  expect(await turns(setup, chatId), where).toMatchObject([CHARGED_ONCE])
  // Only a send of which nobody knows may stand there twice.
  const isAmbiguous = ['500', 'html', 'restart', 'dropBefore', 'dropAfter'].includes(fault.kind)
  const isSend = where === 'first send' || where === 'second message'
  if (!isAmbiguous || !isSend) expect(shown.explained, where).toBe(0)
}

function lastOf(sentences: readonly string[]): string {
  return `n${String(sentences.length - 1).padStart(4, '0')}`
}
