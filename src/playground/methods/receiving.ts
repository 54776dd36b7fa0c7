import type { Answer } from '../envelope.ts'
import { boolOf, intOf, type Params, textOf } from '../params.ts'
import type { Call, House } from './method.ts'

const LIMIT_MAX = 100
const TIMEOUT_S_MAX = 50

export async function getUpdates({ params }: Call, { queue, polls }: House): Promise<Answer> {
  const range = { min: -(2 ** 31), max: 2 ** 31 - 1 }
  const offset = intOf(params, 'offset', range)
  const limit = intOf(params, 'limit', { min: 1, max: LIMIT_MAX, missing: LIMIT_MAX })
  const timeoutS = intOf(params, 'timeout', { min: 0, max: TIMEOUT_S_MAX })
  queue.allow(readAllowed(params))
  return { result: await polls.poll({ offset, limit, timeoutS }) }
}

/** There is never a webhook: updates are fetched. */
export function deleteWebhook({ params }: Call, { queue }: House): Answer {
  if (boolOf(params, 'drop_pending_updates')) queue.dropAll()
  return { result: true, description: 'Webhook is already deleted' }
}

export function getWebhookInfo(_call: Call, { queue }: House): Answer {
  const allowed = queue.allowedIfNotDefault()
  return {
    result: {
      url: '',
      has_custom_certificate: false,
      pending_update_count: queue.pending(),
      ...(allowed && { allowed_updates: allowed }),
    },
  }
}

/** A list that cannot be read is passed over, never refused. */
function readAllowed(params: Params): unknown {
  try {
    return JSON.parse(textOf(params, 'allowed_updates'))
  } catch {
    return undefined
  }
}
