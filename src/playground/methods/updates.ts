import { isDeepStrictEqual } from 'node:util'
import { parseJson } from '../../platform/http/json.ts'
import { checkWebhook, ipAddressOf, type WebhookSettings } from '../updates/webhook-settings.ts'
import { refusal, tooManyRequests } from '../wire/envelope.ts'
import { boolOf, intOf, type Params, textOf } from '../wire/params.ts'
import type { Method } from './method.ts'

const CONNECTIONS_MAX = 100
const CONNECTIONS_DEFAULT = 40
const LIMIT_MAX = 100
const TIMEOUT_S_MAX = 50

const getUpdates: Method = async ({ params }, deps) => {
  const { queue, polls, webhook } = deps
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
  queue.allow(parseJson(textOf(params, 'allowed_updates')))
  return { result: await polls.poll({ offset, limit, timeoutS }) }
}

const setWebhook: Method = (call, deps) => {
  const { params } = call
  const { webhook, queue, polls } = deps
  const settings = readSettings(params)
  if (settings.url === '') return deleteWebhook(call, deps)
  if (!webhook.admit()) throw tooManyRequests(1)
  const isDropping = boolOf(params, 'drop_pending_updates')
  // A certificate is never compared: the same one may be sent to be trusted again.
  const isSame = settings.certificate === '' && isDeepStrictEqual(settings, webhook.settings())
  if (isSame && !isDropping) {
    queue.allow(parseJson(textOf(params, 'allowed_updates')))
    return { result: true, description: 'Webhook is already set' }
  }
  polls.end()
  // The old one is closed first, so that a new one that is refused leaves none.
  webhook.remove()
  if (isDropping) queue.dropAll()
  checkWebhook(settings, deps.webhooks)
  queue.allow(parseJson(textOf(params, 'allowed_updates')))
  webhook.set(settings)
  return { result: true, description: 'Webhook was set' }
}

function readSettings(params: Params): WebhookSettings {
  return {
    url: textOf(params, 'url'),
    secretToken: textOf(params, 'secret_token'),
    maxConnections: intOf(params, 'max_connections', {
      min: 1,
      max: CONNECTIONS_MAX,
      missing: CONNECTIONS_DEFAULT,
    }),
    ipAddress: textOf(params, 'ip_address'),
    certificate: readCertificate(params),
  }
}

/** A file under its own name or attached under another; a text instead of a file is passed over. */
function readCertificate(params: Params): string {
  const attached = /^attach:\/\/(.*)$/s.exec(textOf(params, 'certificate'))?.[1]
  const upload = params.uploads.get('certificate') ?? params.uploads.get(attached ?? '')
  return upload?.bytes.toString() ?? ''
}

const deleteWebhook: Method = ({ params }, { queue, webhook }) => {
  if (boolOf(params, 'drop_pending_updates')) queue.dropAll()
  if (webhook.settings() === undefined) {
    return { result: true, description: 'Webhook is already deleted' }
  }
  webhook.remove()
  return { result: true, description: 'Webhook was deleted' }
}

const getWebhookInfo: Method = (_call, { queue, webhook }) => {
  const settings = webhook.settings()
  const failure = webhook.lastFailure()
  const allowed = queue.allowedIfNotDefault()
  return {
    result: {
      url: settings?.url ?? '',
      has_custom_certificate: Boolean(settings?.certificate),
      pending_update_count: queue.waiting().length,
      ...(failure && { last_error_date: failure.date, last_error_message: failure.error }),
      ...(settings && {
        max_connections: settings.maxConnections,
        ip_address: ipAddressOf(settings),
      }),
      ...(allowed && { allowed_updates: allowed }),
    },
  }
}

export const updateMethods = { getUpdates, setWebhook, deleteWebhook, getWebhookInfo }
