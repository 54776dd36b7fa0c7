import { parseJson } from '../../platform/http/json.ts'
import { checkWebhook } from '../updates/webhook.ts'
import { refusal } from '../wire/envelope.ts'
import { boolOf, intOf, textOf } from '../wire/params.ts'
import type { Method } from './method.ts'

const CONNECTIONS_MAX = 100
const CONNECTIONS_DEFAULT = 40
const LIMIT_MAX = 100
const TIMEOUT_S_MAX = 50

const getUpdates: Method = async ({ params }, { queue, polls, webhook }) => {
  if (webhook.isSet()) {
    throw refusal(
      409,
      "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
    )
  }
  const range = { min: -(2 ** 31), max: 2 ** 31 - 1 }
  const offset = intOf(params, 'offset', range)
  const limit = intOf(params, 'limit', { min: 1, max: LIMIT_MAX, missing: LIMIT_MAX })
  const timeoutS = intOf(params, 'timeout', { min: 0, max: TIMEOUT_S_MAX })
  queue.allow(parseJson(textOf(params, 'allowed_updates')))
  return { result: await polls.poll({ offset, limit, timeoutS }) }
}

const setWebhook: Method = (call, deps) => {
  const { params } = call
  const { webhook, webhooks, queue, polls } = deps
  const settings = {
    url: textOf(params, 'url'),
    secretToken: textOf(params, 'secret_token'),
    maxConnections: intOf(params, 'max_connections', {
      min: 1,
      max: CONNECTIONS_MAX,
      missing: CONNECTIONS_DEFAULT,
    }),
  }
  if (settings.url === '') return deleteWebhook(call, deps)
  polls.end()
  // The old webhook goes first: a new one that is refused leaves none.
  webhook.remove()
  if (boolOf(params, 'drop_pending_updates')) queue.dropAll()
  checkWebhook(settings, webhooks)
  queue.allow(parseJson(textOf(params, 'allowed_updates')))
  webhook.set(settings)
  return { result: true, description: 'Webhook was set' }
}

const deleteWebhook: Method = ({ params }, { queue, webhook }) => {
  if (boolOf(params, 'drop_pending_updates')) queue.dropAll()
  if (!webhook.isSet()) {
    return { result: true, description: 'Webhook is already deleted' }
  }
  webhook.remove()
  return { result: true, description: 'Webhook was deleted' }
}

export const updateMethods = { getUpdates, setWebhook, deleteWebhook }
