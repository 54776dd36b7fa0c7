import { expect } from 'vitest'
import { check, once } from './check.ts'
import { type ChargedChat, hasMovedBy, LONG, MAX_TOKENS, notSeen, type Service } from './service.ts'

const MILLION = 1_000_000n
/** Both of two holds may be rounded to a kopeck. */
const ROUNDING = 20_000n
/** The estimate for so many more tokens exceeds any rounding at the prices of chat models. */
const MORE_TOKENS = 2_000
const LONG_TEXT = 'A kopeck is a hundredth of a rouble, and a hundred of them make one. '.repeat(40)

const plain = once(({ chargedChat }: Service) => chargedChat())
const streamed = once(({ chargedChat }: Service) => chargedChat({ messages: LONG, stream: true }))
const broken = once(({ chargedChat, faults }: Service) =>
  chargedChat({ model: faults().broken, stream: true }),
)

check('the estimate is deducted before the answer is complete', async (service) => {
  const { before, during = notSeen('no moment before the end of the stream') } =
    await streamed(service)
  expect(during).toBeLessThan(before)
})

check('the output is estimated from max_tokens', async (service) => {
  const { completionMicroRubPer1m: price = notSeen('the model has no price') } =
    await service.model()
  const more = await service.chargedChat({
    messages: LONG,
    stream: true,
    max_tokens: MAX_TOKENS + MORE_TOKENS,
  })
  const difference = heldBy(more) - heldBy(await streamed(service))
  const expected = (price * BigInt(MORE_TOKENS)) / MILLION
  expect(difference).toBeGreaterThanOrEqual(expected - ROUNDING)
  expect(difference).toBeLessThanOrEqual(expected + ROUNDING)
})

check('the input is estimated from the volume of the text', async (service) => {
  const messages = [{ role: 'user', content: LONG_TEXT }, ...LONG]
  const longer = await service.chargedChat({ messages, stream: true })
  expect(heldBy(longer)).toBeGreaterThan(heldBy(await streamed(service)))
})

check('the cost is the usage at the prices of the model', async (service) => {
  const model = await service.model()
  const prompt = model.promptMicroRubPer1m ?? notSeen('the model has no price')
  const completion = model.completionMicroRubPer1m ?? notSeen('the model has no price')
  for (const chat of [await plain(service), await streamed(service)]) {
    const { promptTokens, cachedPromptTokens = 0, completionTokens } = usageOf(chat)
    const exact =
      BigInt(promptTokens - cachedPromptTokens) * prompt +
      BigInt(cachedPromptTokens) * (model.cachedPromptMicroRubPer1m ?? prompt) +
      BigInt(completionTokens) * completion
    expect([costOf(chat), exact, isRounded(costOf(chat), exact)]).toEqual([
      costOf(chat),
      exact,
      true,
    ])
  }
})

check('a plain chat is charged cost_rub', (service) => expectCharged(service, plain))

check('after a streamed chat the rest of the estimate is returned', (service) =>
  expectCharged(service, streamed),
)

check('a cost above the estimate is charged additionally', async (service) => {
  const { longer: model } = service.faults()
  const longer = await service.chargedChat({ model, stream: true })
  expect(costOf(longer)).toBeGreaterThan(heldBy(longer))
  expectMoved(longer, costOf(longer))
})

check('the estimate is returned in full after 502 and 503', async (service) => {
  await expectFree(service, 502, service.faults().refused)
  await expectFree(service, 503, service.faults().unavailable)
})

check('the estimate stays charged if a stream breaks in the middle', async (service) => {
  const chat = await broken(service)
  expect(chat.before - chat.after).toBe(heldBy(chat))
})

check('every request is charged for all its messages', async (service) => {
  const short = usageOf(await plain(service))
  expect(usageOf(await streamed(service)).promptTokens).toBeGreaterThan(short.promptTokens)
})

async function expectCharged(
  service: Service,
  play: (service: Service) => Promise<ChargedChat>,
): Promise<void> {
  const chat = await play(service)
  expectMoved(chat, costOf(chat))
}

function expectMoved({ before, after }: ChargedChat, costMicroRub: bigint): void {
  const isMoved = hasMovedBy(costMicroRub, before, after)
  expect([before - after, costMicroRub, isMoved]).toEqual([before - after, costMicroRub, true])
}

async function expectFree(service: Service, status: number, model: string): Promise<void> {
  for (const stream of [false, true]) {
    const { answer, before, after } = await service.chargedChat({ model, stream })
    expect([answer.status, before - after]).toEqual([status, 0n])
  }
}

/** The estimate: what was deducted while the answer was written. */
function heldBy({ before, during }: ChargedChat): bigint {
  if (during === undefined) notSeen('no moment before the end of the stream')
  if (during === before) notSeen('no estimate was deducted')
  return before - during
}

function usageOf({ usage }: ChargedChat) {
  return usage ?? notSeen('the answer has no usage')
}

function costOf({ costMicroRub }: ChargedChat): bigint {
  return costMicroRub ?? notSeen('the answer has no cost')
}

/** Checks if a cost is the exact one, rounded to kopecks or finer. @param exact Millionths of a micro-rouble. */
function isRounded(costMicroRub: bigint, exact: bigint): boolean {
  return [1n, 10n, 100n, 1_000n, 10_000n].some((unit) => {
    const difference = costMicroRub * MILLION - exact
    const isNear = -unit * MILLION < difference && difference < unit * MILLION
    return costMicroRub % unit === 0n && isNear
  })
}
