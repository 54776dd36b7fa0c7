import type { Logger } from 'pino'
import { ServiceError } from '../../contract/client/service-error.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { RequestKind } from '../rate-limit.ts'
import { formatMoney } from '../spend/format.ts'
import { errorFacts } from '../telegram/error-facts.ts'
import { shorten, shortenLine } from '../texts/shorten.ts'
import type { Texts } from '../texts/texts.ts'
import type { AlertSettings } from './alert-settings.ts'
import type { Alert, NotifyAdmins } from './notify-admins.ts'
import {
  type CostDifference,
  createServiceTroubles,
  type KeptPrice,
  type ProviderRefusal,
  type Trouble,
} from './service-troubles.ts'

const MODEL_CHARS_MAX = 100

type NamedTrouble = Extract<Trouble, string>

const KEYS: Readonly<Record<NamedTrouble, string>> = {
  insufficient_balance: 'admin-insufficient-balance',
  unauthorized: 'admin-unauthorized',
  service_unavailable: 'admin-service-unavailable',
  model_misconfigured: 'admin-model-misconfigured',
  not_this_service: 'admin-not-this-service',
  service_is_openai: 'admin-service-is-openai',
  storage_unavailable: 'admin-storage-unavailable',
  order_written_off: 'admin-order-written-off',
}

export interface AdminAlertsDeps {
  notifyAdmins: NotifyAdmins
  texts: Texts
  settings: Pick<AlertSettings, 'read'>
  isServiceInside: boolean
  clock: Clock
  log: Logger
}

/** Notifies admins of what keeps the service from answering, chats and orders alike. */
export function createAdminAlerts({
  notifyAdmins,
  texts,
  settings,
  isServiceInside,
  clock,
  log,
}: AdminAlertsDeps) {
  /** Each kind by itself: one that works says nothing of another. */
  const troubles = new Map<RequestKind, ReturnType<typeof createServiceTroubles>>()
  return { observe, report }

  function observe(kind: RequestKind, error: unknown, model?: string): void {
    const code = error instanceof ServiceError ? error.code : undefined
    const ofKind = troubles.get(kind) ?? createServiceTroubles()
    troubles.set(kind, ofKind)
    const trouble = ofKind.observe(code, clock.now())
    if (trouble === undefined) return
    if (trouble !== 'model_misconfigured') report(trouble)
    else if (!isServiceInside) send(toModelAlert(model ?? ''))
  }

  function report(trouble: Trouble): void {
    if (typeof trouble === 'string') send(toAlert(trouble))
    else if ('pricedModel' in trouble) send(toDifferenceAlert(trouble))
    else if ('old' in trouble) send(toKeptPriceAlert(trouble))
    else send(toRefusalAlert(trouble))
  }

  function send(alert: Alert): void {
    notify(alert).catch((error: unknown) => {
      // The next failure is reported.
      log.warn({ ...errorFacts(error), trouble: alert.name }, 'admins not notified')
    })
  }

  async function notify(alert: Alert): Promise<void> {
    if ((await settings.read()).serviceFailures) await notifyAdmins(alert)
  }

  function toAlert(name: NamedTrouble): Alert {
    const write: Alert['write'] = (languageCode) => texts.t(languageCode, KEYS[name])
    // What is known of the same address in more detail is no news.
    return { name: name === 'service_is_openai' ? 'not_this_service' : name, write }
  }

  function toModelAlert(model: string): Alert {
    const name = 'model_misconfigured'
    const variables = { model: shorten(model, MODEL_CHARS_MAX) }
    const write: Alert['write'] = (languageCode) => texts.t(languageCode, KEYS[name], variables)
    return { name: `${name} ${model}`, write }
  }

  function toKeptPriceAlert({ model, upstream, old, next }: KeptPrice): Alert {
    const variables = {
      model: shorten(model, MODEL_CHARS_MAX),
      upstream: shorten(upstream, MODEL_CHARS_MAX),
      old,
      reason: next === undefined ? 'missing' : 'high',
      next: next ?? '',
    }
    const write: Alert['write'] = (languageCode) =>
      texts.t(languageCode, 'admin-price-kept', variables)
    return { name: `price_kept ${upstream} ${model}`, write }
  }

  function toDifferenceAlert({ pricedModel, ...sums }: CostDifference): Alert {
    const write: Alert['write'] = (languageCode) =>
      texts.t(languageCode, 'admin-cost-differs', {
        model: shorten(pricedModel, MODEL_CHARS_MAX),
        charged: formatMoney(sums.chargedMicroRub, languageCode),
        reported: formatMoney(sums.reportedMicroRub, languageCode),
      })
    return { name: `cost_differs ${pricedModel}`, write }
  }

  function toRefusalAlert(refusal: ProviderRefusal): Alert {
    const { model, endpoint, upstream, failure, workedAt } = refusal
    const { status, explanation } = failure
    const asked = model ?? endpoint
    const variables = {
      kind: asked === undefined ? 'list' : model === undefined ? 'order' : 'chat',
      work: shorten(asked ?? '', MODEL_CHARS_MAX),
      upstream: shorten(upstream, MODEL_CHARS_MAX),
      answer: status === undefined ? 'event' : 'status',
      status: String(status ?? ''),
      words: explanation === undefined ? 'none' : 'some',
      said: shortenLine(explanation ?? '', SAID_CHARS_MAX),
      cause: toCause(refusal),
    }
    const write: Alert['write'] = (languageCode) =>
      texts.t(languageCode, 'admin-provider-refused', variables)
    return { name: toRefusalName(refusal), workedAt, write }
  }
}

export type AdminAlerts = ReturnType<typeof createAdminAlerts>

const SAID_CHARS_MAX = 300

type RefusalCause = 'key' | 'money' | 'rights' | 'name' | 'address'

function toCause({ model, endpoint, failure }: ProviderRefusal): RefusalCause {
  const { kind, status } = failure
  if (status === 403) return 'rights'
  if (kind !== 'unauthorized')
    return model === undefined && endpoint === undefined ? 'address' : 'name'
  return status === undefined || status === 401 ? 'key' : 'money'
}

/** A key and money are those of all models of an upstream, so that all of them are one alert. */
function toRefusalName(refusal: ProviderRefusal): string {
  const { model, endpoint = '', upstream } = refusal
  const cause = toCause(refusal)
  const work = cause === 'key' || cause === 'money' ? [] : [model ?? endpoint]
  return ['provider_refused', upstream, cause, ...work].join(' ')
}
