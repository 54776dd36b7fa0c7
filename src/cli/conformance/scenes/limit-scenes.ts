import { type ModelInfo, readCost } from '../../../contract/client/read-answers.ts'
import { isJsonObject } from '../../../platform/http/json.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Ask, WireAnswer } from '../answer.ts'
import type { Budget } from '../budget.ts'
import type { Customer } from '../customer.ts'
import { priceChat } from '../money.ts'
import { LIMITS } from '../paces.ts'
import type { Wire } from '../wire.ts'

/** Added to a wait, so that earlier requests are surely older than the span. */
const MARGIN_MS = 1_000

/** One request more than is allowed, all at once. */
export interface Burst {
  answers: WireAnswer[]
  /** Those that were not refused with 429. */
  taken: number
  refused: number
  max: number
}

/** More chats than a minute allows, and the balance around them. */
export interface ChatBurst extends Burst {
  before: bigint | undefined
  after: bigint | undefined
  /** What the answers told together; undefined if one told nothing. */
  costMicroRub: bigint | undefined
}

/**
 * Creates what tests limits: one request more than is allowed, all at once, since a chat may take seconds and the
 * first of them would be a minute old before the last.
 *
 * @param account Whose limits are used up.
 * @param toRequest Makes a chat request.
 */
export function createLimitScenes({
  wire,
  account,
  budget,
  clock,
  findModel,
  toRequest,
}: {
  wire: Wire
  account: Customer
  budget: Budget
  clock: Clock
  findModel: () => Promise<ModelInfo | undefined>
  toRequest: (fields: Record<string, unknown>) => Promise<Ask>
}) {
  return { burst, chatBurst, afterMinute }

  /** Waits until earlier requests of the same path count no more, and asks. */
  async function burst(
    request: Ask,
    { max, spanMs }: { max: number; spanMs: number },
  ): Promise<Burst> {
    const { apiKey = account.apiKey } = request
    const last = wire.answers.findLast(
      (answer) => answer.ask.path === request.path && answer.apiKey === apiKey,
    )
    const waitMs = last === undefined ? 0 : last.askedAtMs + spanMs + MARGIN_MS - clock.now()
    if (waitMs > 0) await clock.sleep(waitMs)
    const ask = () => wire.ask({ ...request, apiKey, isPaced: false })
    const answers = await Promise.all(Array.from({ length: max + 1 }, ask))
    const refused = answers.filter(({ status }) => status === 429).length
    return { answers, taken: answers.length - refused, refused, max }
  }

  async function chatBurst(): Promise<ChatBurst> {
    const { max } = LIMITS.chats
    const price = priceChat((await findModel()) ?? {}, 1)
    const request = await toRequest({ max_tokens: 1 })
    return await account.alone(async () => {
      budget.take(`${max + 1} chats of a token`, price && price * BigInt(max + 1))
      const before = await account.readBalance()
      const chats = await burst(request, LIMITS.chats)
      const costMicroRub = sumCosts(chats.answers)
      const { balance: after } = await account.awaitBalance(
        (balance) =>
          before === undefined ||
          costMicroRub === undefined ||
          account.hasMovedBy(costMicroRub, before, balance),
      )
      return { ...chats, before, after, costMicroRub }
    })
  }

  /** Asks for a chat when the minute of a burst is over. */
  async function afterMinute(): Promise<WireAnswer> {
    await clock.sleep(LIMITS.chats.spanMs + MARGIN_MS)
    const request = await toRequest({ max_tokens: 1 })
    return await wire.ask({ ...request, apiKey: account.apiKey, isPaced: false })
  }
}

function sumCosts(answers: readonly WireAnswer[]): bigint | undefined {
  let sum = 0n
  for (const { status, json } of answers) {
    if (status !== 200) continue
    const cost = isJsonObject(json) ? readCost(json) : undefined
    if (cost === undefined) return undefined
    sum += cost
  }
  return sum
}
