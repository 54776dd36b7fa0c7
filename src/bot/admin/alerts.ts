/**
 * Alerts: messages to all admins that none of them asked for.
 *
 * In: outcomes of requests, troubles of the service and of orders, and what `money-watch.ts` finds. Out: messages.
 * Invariant: of all processes that find the same trouble, one sends its alert; it is repeated after an hour, or after
 * five minutes if the trouble had ended meanwhile.
 */
import type { Logger } from 'pino'
import { ServiceError, type ServiceErrorCode } from '../../contract/client/service-error.ts'
import type { PrismaClient } from '../../platform/database/generated/client.ts'
import { readTime } from '../../platform/database/prisma.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { claimAlert } from '../claim-alert.ts'
import type { RoleHolder, Roles } from '../people/roles.ts'
import type { RequestKind } from '../rate-limit.ts'
import { formatMoney } from '../spend/format.ts'
import type { StoredSettings } from '../stored-settings.ts'
import { errorFacts } from '../telegram/errors.ts'
import type { Outbox } from '../telegram/send.ts'
import { shorten, shortenLine } from '../texts/shorten.ts'
import type { Texts, TextVariables } from '../texts/texts.ts'

const REPEAT_MS = 3600_000
/** After so long an alert is repeated whose cause had ended in between. */
const RELAPSE_MS = 5 * 60_000
/** A service that is away is not reported before. */
const LASTING_MS = 60_000
const MODEL_CHARS_MAX = 100
const SAID_CHARS_MAX = 300

/** The troubles that only admins can fix, as the outcomes of requests show them. */
const REQUEST_TROUBLES = [
  'insufficient_balance',
  'unauthorized',
  'service_unavailable',
  'model_misconfigured',
  'not_this_service',
] as const satisfies readonly ServiceErrorCode[]
type RequestTrouble = (typeof REQUEST_TROUBLES)[number]

/** A provider that refuses all requests of a service in the same process, for a reason that its admins can fix. */
export interface ProviderRefusal {
  /** The model, or else the creation endpoint, that it was asked for; neither: it was asked which models it has. */
  model?: string
  endpoint?: string
  upstream: string
  failure: {
    kind: string
    status?: number | undefined
    /** Its own words in one line. They quote no key and no user. */
    explanation?: string | undefined
  }
  workedAt: Date
}

/** A model of an upstream whose new price is not taken. Prices are dollars per 1 million tokens of input and output. */
interface KeptPrice {
  model: string
  upstream: string
  old: string
  /** Undefined if there is no valid one. */
  next: string | undefined
}

/** A model whose charges of a day differ from the costs that its provider reports. */
interface CostDifference {
  pricedModel: string
  chargedMicroRub: bigint
  reportedMicroRub: bigint
}

/**
 * A trouble of which admins are notified. A service in the same process reports its own, the process what it finds at
 * the address of another one; the orders report what was paid for and did not arrive.
 */
export type Trouble =
  | Exclude<RequestTrouble, 'model_misconfigured'>
  | 'storage_unavailable'
  | 'order_written_off'
  | ProviderRefusal
  | KeptPrice
  | CostDifference

/** A message to all admins. */
export interface Alert {
  name: string
  write(languageCode: string | undefined): string
  /** It is sent again if it was sent last before this instant. Default: an hour ago. */
  since?(now: Date): Date
}

export interface AlertsContext {
  prisma: Pick<PrismaClient, 'alert' | '$executeRaw' | '$queryRaw'>
  storedSettings: Pick<StoredSettings, 'read'>
  roles: Pick<Roles, 'admins'>
  outbox: Pick<Outbox, 'send'>
  texts: Texts
  isServiceInside: boolean
  clock: Pick<Clock, 'now'>
  log: Logger
  signal: AbortSignal
}

export class Alerts {
  readonly #context: AlertsContext
  /** The last trouble of each kind of requests: a kind that works says nothing of another. */
  readonly #lasting = new Map<RequestKind, { trouble: RequestTrouble; since: number }>()

  constructor(context: AlertsContext) {
    this.#context = context
  }

  /** Reports the outcome of a request if only admins can fix it; a service that is away after a minute of nothing else. */
  observe(kind: RequestKind, error: unknown, model = ''): void {
    const code = error instanceof ServiceError ? error.code : undefined
    const trouble = REQUEST_TROUBLES.find((one) => one === code)
    const now = this.#context.clock.now()
    const last = this.#lasting.get(kind)
    if (trouble === undefined) this.#lasting.delete(kind)
    else if (last?.trouble !== trouble) this.#lasting.set(kind, { trouble, since: now })
    const isPassing = now - (this.#lasting.get(kind)?.since ?? now) <= LASTING_MS
    if (trouble === undefined || (trouble === 'service_unavailable' && isPassing)) return
    if (trouble !== 'model_misconfigured') this.report(trouble)
    // A service in the same process reports the refusal of the provider itself.
    else if (!this.#context.isServiceInside) {
      const variables = { model: shorten(model, MODEL_CHARS_MAX) }
      this.#send(`${trouble} ${model}`, 'admin-model-misconfigured', () => variables)
    }
  }

  report(trouble: Trouble): void {
    if (typeof trouble === 'string') this.#send(trouble, `admin-${trouble.replaceAll('_', '-')}`)
    else if ('failure' in trouble) this.#reportRefusal(trouble)
    else if ('upstream' in trouble) {
      const { model, upstream, old, next } = trouble
      this.#send(`price_kept ${upstream} ${model}`, 'admin-price-kept', () => ({
        model: shorten(model, MODEL_CHARS_MAX),
        upstream: shorten(upstream, MODEL_CHARS_MAX),
        old,
        reason: next === undefined ? 'missing' : 'high',
        next: next ?? '',
      }))
    } else {
      const { pricedModel, chargedMicroRub, reportedMicroRub } = trouble
      this.#send(`cost_differs ${pricedModel}`, 'admin-cost-differs', (languageCode) => ({
        model: shorten(pricedModel, MODEL_CHARS_MAX),
        charged: formatMoney(chargedMicroRub, languageCode),
        reported: formatMoney(reportedMicroRub, languageCode),
      }))
    }
  }

  /** Notifies every admin, unless a process has done so lately. */
  async notify(alert: Alert): Promise<void> {
    const { prisma, roles, log } = this.#context
    const admins = await roles.admins()
    // The first admin comes a while after the first start, and is to hear of what is wrong then.
    if (admins.length === 0) return
    const { name, since = hourAgo } = alert
    if (!(await claimAlert(prisma, name, since(await readTime(prisma))))) return
    const sending = Promise.all(admins.map((admin) => this.#notifyOne(admin, alert)))
    sending
      .then(async (reached) => {
        if (!reached.includes(true)) await prisma.alert.deleteMany({ where: { name } })
      })
      .catch((error: unknown) => {
        log.warn({ ...errorFacts(error), alert: name }, 'alert that reached nobody not given back')
      })
  }

  async #notifyOne({ userId, languageCode }: RoleHolder, alert: Alert): Promise<boolean> {
    const { outbox, log, signal } = this.#context
    try {
      const text = alert.write(languageCode)
      await outbox.send({ chatId: userId, text }, { signal })
      return true
    } catch (error) {
      log.warn({ ...errorFacts(error), adminId: userId, alert: alert.name }, 'admin not notified')
      return false
    }
  }

  #reportRefusal(refusal: ProviderRefusal): void {
    const { model, endpoint, upstream, failure, workedAt } = refusal
    const { status, explanation } = failure
    const asked = model ?? endpoint
    const cause = causeOf(refusal)
    // A key and money are those of all models of an upstream, so that all of them are one alert.
    const work = cause === 'key' || cause === 'money' ? [] : [asked ?? '']
    const variables = {
      kind: asked === undefined ? 'list' : model === undefined ? 'order' : 'chat',
      work: shorten(asked ?? '', MODEL_CHARS_MAX),
      upstream: shorten(upstream, MODEL_CHARS_MAX),
      answer: status === undefined ? 'event' : 'status',
      status: String(status ?? ''),
      words: explanation === undefined ? 'none' : 'some',
      said: shortenLine(explanation ?? '', SAID_CHARS_MAX),
      cause,
    }
    const name = ['provider_refused', upstream, cause, ...work].join(' ')
    this.#send(
      name,
      'admin-provider-refused',
      () => variables,
      (now) => {
        const relapsed = earlier(workedAt, new Date(now.getTime() - RELAPSE_MS))
        return later(hourAgo(now), relapsed)
      },
    )
  }

  #send(
    name: string,
    key: string,
    variablesIn: (languageCode: string | undefined) => TextVariables = () => ({}),
    since = hourAgo,
  ): void {
    const { texts, storedSettings, log } = this.#context
    const write: Alert['write'] = (languageCode) =>
      texts.t(languageCode, key, variablesIn(languageCode))
    const notify = async () => {
      if ((await storedSettings.read()).serviceFailures) await this.notify({ name, write, since })
    }
    notify().catch((error: unknown) => {
      // The next failure is reported.
      log.warn({ ...errorFacts(error), alert: name }, 'admins not notified')
    })
  }
}

export function hourAgo(now: Date): Date {
  return new Date(now.getTime() - REPEAT_MS)
}

export function earlier(one: Date, other: Date): Date {
  return one < other ? one : other
}

function later(one: Date, other: Date): Date {
  return one > other ? one : other
}

function causeOf({ model, endpoint, failure }: ProviderRefusal) {
  const { kind, status } = failure
  if (status === 403) return 'rights'
  if (kind !== 'unauthorized') {
    return model === undefined && endpoint === undefined ? 'address' : 'name'
  }
  return status === undefined || status === 401 ? 'key' : 'money'
}
