/** The variables that are JSON: each problem has its path in it. */
import { type Static, type TSchema, Type } from 'typebox'
import type { BotRetention } from '../../bot/retention.ts'
import { SEND_LIMITS, type SendLimits } from '../../bot/telegram/pacing/send-limits.ts'
import { parseRub } from '../../contract/money.ts'
import { createCheck } from '../../platform/guard.ts'
import { isJsonObject, parseJson } from '../../platform/http/json.ts'
import { findRepeatedNames, ONCE } from '../../platform/http/repeated-names.ts'
import { type Parse, shouldBe } from './read-variables.ts'

/** Label → micro-roubles. */
export const mediaPrices = shouldBe(
  'JSON of labels and roubles, each once: {"vidgen-720p-5s": "40"}',
  (json) => {
    const given = parseJson(json)
    if (!isJsonObject(given) || findRepeatedNames(json).length > 0) return undefined
    const prices = new Map<string, bigint>()
    for (const [label, rub] of Object.entries(given)) {
      const microRub = parseRub(String(rub))
      if (microRub === undefined || microRub < 0n) return undefined
      prices.set(label, microRub)
    }
    return prices
  },
)

const wholeNumber = Type.Integer({ minimum: 1, description: 'a whole number from 1' })

/** Telegram's limits, as the operator wants them kept. */
export const sendLimits = json(
  Type.Partial(
    Type.Object({
      private_per_second: Type.Number({ exclusiveMinimum: 0, description: 'a number above 0' }),
      private_burst: wholeNumber,
      group_per_minute: wholeNumber,
      overall_per_second: wholeNumber,
    }),
    { additionalProperties: false, description: 'JSON such as {"overall_per_second": 30}' },
  ),
  ({
    private_per_second = 1000 / SEND_LIMITS.private.everyMs,
    private_burst = SEND_LIMITS.private.burst,
    group_per_minute = SEND_LIMITS.group.calls,
    overall_per_second = SEND_LIMITS.overall.calls,
  }): SendLimits => ({
    private: { everyMs: 1000 / private_per_second, burst: private_burst },
    group: { ...SEND_LIMITS.group, calls: group_per_minute },
    overall: { ...SEND_LIMITS.overall, calls: overall_per_second },
  }),
)

/** A week at least: an update may come again, and a reply may be to a message of yesterday. */
const days = Type.Integer({
  minimum: 7,
  maximum: 36_500,
  description: 'a whole number of days from 7 to 36500',
})

/** For how many days the bot keeps what it can do without. */
export const botRetention = json(
  Type.Partial(
    Type.Object({ turns_days: days, orders_days: days, cards_days: days, changes_days: days }),
    { additionalProperties: false, description: 'JSON such as {"turns_days": 400}' },
  ),
  ({ turns_days, orders_days, cards_days, changes_days }): BotRetention => ({
    turns: turns_days,
    orders: orders_days,
    cards: cards_days,
    changes: changes_days,
  }),
)

/** The limits of the interface document. */
export const SERVICE_LIMITS = { chat: 30, video: 3, image: 3, sound: 3 }

/** Requests a minute by kind; those that are not named are the interface document's. */
export const serviceLimits = json(
  Type.Partial(
    Type.Object({ chat: wholeNumber, video: wholeNumber, image: wholeNumber, sound: wholeNumber }),
    { additionalProperties: false, description: 'JSON such as {"chat": 30}' },
  ),
  (given) => ({ ...SERVICE_LIMITS, ...given }),
)

function json<Schema extends TSchema, T>(
  schema: Schema,
  toValue: (given: Static<Schema>) => T,
): Parse<T> {
  const findProblems = createCheck(schema)
  return (value) => {
    const given = parseJson(value)
    const problems = [...findProblems(given), ...describeRepeated(given, value)]
    return problems.length > 0 ? { problems } : { value: toValue(given as Static<Schema>) }
  }
}

function describeRepeated(given: unknown, json: string): string[] {
  const paths = given === undefined ? [] : findRepeatedNames(json)
  return paths.map((path) => `${path}: ${ONCE}`)
}
