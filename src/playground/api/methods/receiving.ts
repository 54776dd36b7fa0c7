import { type Answer, refusal } from '../../wire/envelope.ts'
import { intOf, type Params, textOf } from '../../wire/params.ts'
import type { Call, House } from './method.ts'

const LIMIT_MAX = 100
const TIMEOUT_S_MAX = 50

export async function getUpdates({ params }: Call, house: House): Promise<Answer> {
  const { queue, polls, webhook } = house
  if (webhook.settings() !== undefined) {
    throw refusal(
      409,
      "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
    )
  }
  const range = { min: -(2 ** 31), max: 2 ** 31 - 1 }
  const offset = intOf(params, 'offset', range)
  const limit = intOf(params, 'limit', { min: 1, max: LIMIT_MAX, missing: LIMIT_MAX })
  const timeoutS = intOf(params, 'timeout', { min: 0, max: TIMEOUT_S_MAX })
  queue.allow(readAllowed(params))
  return { result: await polls.poll({ offset, limit, timeoutS }) }
}

/** A list that cannot be read is passed over, never refused. */
export function readAllowed(params: Params): unknown {
  try {
    return JSON.parse(textOf(params, 'allowed_updates'))
  } catch {
    return undefined
  }
}
