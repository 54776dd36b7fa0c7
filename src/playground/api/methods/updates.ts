import { isDeepStrictEqual } from 'node:util'
import ipaddr from 'ipaddr.js'
import { parseJson } from '../../../http/json.ts'
import type { WebhookSettings } from '../../updates/webhook-post.ts'
import { badRequest, refusal, tooManyRequests } from '../../wire/envelope.ts'
import { boolOf, intOf, textOf } from '../../wire/params.ts'
import type { Method, MethodDeps } from './method.ts'

const CONNECTIONS_MAX = 100
const CONNECTIONS_DEFAULT = 40
const SECRET_CHARS_MAX = 256
const PORTS = ['', '80', '88', '443', '8443']
const PAUSE_MS = 1_000
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
  const { webhook, queue, polls, clock } = deps
  const url = textOf(params, 'url')
  if (url === '') return deleteWebhook(call, deps)
  if (clock.now() - webhook.changedAt() < PAUSE_MS) throw tooManyRequests(1)
  const settings: WebhookSettings = {
    url,
    secretToken: textOf(params, 'secret_token'),
    maxConnections: intOf(params, 'max_connections', {
      min: 1,
      max: CONNECTIONS_MAX,
      missing: CONNECTIONS_DEFAULT,
    }),
  }
  const isSame = isDeepStrictEqual(settings, webhook.settings())
  if (!isSame) {
    checkUrl(url, deps.webhooks)
    checkSecret(settings.secretToken)
  }
  queue.allow(parseJson(textOf(params, 'allowed_updates')))
  if (boolOf(params, 'drop_pending_updates')) queue.dropAll()
  if (isSame) return { result: true, description: 'Webhook is already set' }
  polls.end()
  webhook.set(settings)
  return { result: true, description: 'Webhook was set' }
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
      has_custom_certificate: false,
      pending_update_count: queue.waiting().length,
      ...(settings &&
        failure && {
          last_error_date: failure.date,
          last_error_message: failure.error,
        }),
      ...(settings && { max_connections: settings.maxConnections }),
      ...(allowed && { allowed_updates: allowed }),
    },
  }
}

function checkUrl(text: string, reach: MethodDeps['webhooks']): void {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw badRequest('invalid webhook URL specified')
  }
  if (reach === 'local') return
  if (url.protocol !== 'https:') {
    throw badRequest('bad webhook: An HTTPS URL must be provided for webhook')
  }
  if (!PORTS.includes(url.port)) {
    throw badRequest('bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443')
  }
  const host = url.hostname === 'localhost' ? '127.0.0.1' : url.hostname.replace(/^\[|\]$/g, '')
  if (ipaddr.isValid(host) && ipaddr.process(host).range() !== 'unicast') {
    throw badRequest(`bad webhook: IP address ${host} is reserved`)
  }
}

function checkSecret(secret: string): void {
  if (secret.length > SECRET_CHARS_MAX) throw badRequest('secret token is too long')
  if (!/^[A-Za-z0-9_-]*$/.test(secret)) {
    throw badRequest('secret token contains unallowed characters')
  }
}

export const updateMethods = { getUpdates, setWebhook, deleteWebhook, getWebhookInfo }
