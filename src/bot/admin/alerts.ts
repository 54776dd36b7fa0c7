/**
 * Alerts: messages to all admins that none of them asked for.
 *
 * In: outcomes of requests, troubles of the service and of orders, and findings of `money-watch.ts`. Out: messages.
 * Invariant: if several processes find the same trouble, only one sends its alert. The alert repeats after an hour.
 */
import type { Logger } from 'pino'
import { ServiceError, type ServiceErrorCode } from '../../contract/client/service-error.ts'
import type { PrismaClient } from '../../platform/database/generated/client.ts'
import { readTime } from '../../platform/database/prisma.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { claimAlert } from '../claim-alert.ts'
import type { Roles } from '../people/roles.ts'
import type { RequestKind } from '../rate-limit.ts'
import { formatMoney } from '../spend/format.ts'
import type { StoredSettings } from '../stored-settings.ts'
import { errorFacts } from '../telegram/errors.ts'
import type { Outbox } from '../telegram/send.ts'
import { shorten, shortenLine } from '../texts/shorten.ts'
import type { Texts, TextVariables } from '../texts/texts.ts'

const REPEAT_MS = 3600_000
/** The service must be away for so long before it is reported. */
const LASTING_MS = 60_000
const MODEL_CHARS_MAX = 100
const SAID_CHARS_MAX = 300

const REQUEST_TROUBLES = [
  'insufficient_balance',
  'unauthorized',
  'service_unavailable',
  'model_misconfigured',
  'not_this_service',
] as const satisfies readonly ServiceErrorCode[]
type RequestTrouble = (typeof REQUEST_TROUBLES)[number]

/** A provider refuses all requests of a service in the same process, for a reason that admins can fix. */
export interface ProviderRefusal {
  /** The requested model, or else the creation endpoint; neither for a request of the list of models. */
  model?: string
  endpoint?: string
  upstream: string
  failure: {
    kind: string
    status?: number | undefined
    /** The provider's words in one line, without any key or user. */
    explanation?: string | undefined
  }
}

/** An upstream model whose new price is rejected. Prices are dollars per 1 million tokens of input and output. */
export interface KeptPrice {
  model: string
  upstream: string
  old: string
  /** Undefined if no price is valid. */
  next: string | undefined
}

/** A model whose charges of a day are below the costs that its provider reports. */
interface CostDifference {
  pricedModel: string
  chargedMicroRub: bigint
  reportedMicroRub: bigint
}

/** A trouble of which admins are notified. */
export type Trouble =
  | Exclude<RequestTrouble, 'model_misconfigured'>
  | 'storage_unavailable'
  | 'order_written_off'
  | { misconfiguredModel: string }
  | ProviderRefusal
  | KeptPrice
  | CostDifference

export interface Alert {
  name: string
  write(languageCode: string | undefined): string
  /** Sends the alert again if it was last sent before this instant. Default: an hour ago. */
  since?: Date
}

export interface AlertsContext {
  prisma: Pick<PrismaClient, '$executeRaw' | '$queryRaw'>
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
  /** The time since which requests of each kind find the service away. */
  readonly #awaySince = new Map<RequestKind, number>()

  constructor(context: AlertsContext) {
    this.#context = context
  }

  /** Reports an outcome that only admins can fix; a service that is away, after a minute without other outcomes. */
  observe(kind: RequestKind, error: unknown, model = ''): void {
    const code = error instanceof ServiceError ? error.code : undefined
    const trouble = REQUEST_TROUBLES.find((one) => one === code)
    const now = this.#context.clock.now()
    if (trouble !== 'service_unavailable') this.#awaySince.delete(kind)
    else {
      const since = this.#awaySince.get(kind) ?? now
      this.#awaySince.set(kind, since)
      if (now - since <= LASTING_MS) return
    }
    if (trouble === 'model_misconfigured') {
      // A service in the same process reports the refusal of the provider itself.
      if (!this.#context.isServiceInside) this.report({ misconfiguredModel: model })
    } else if (trouble !== undefined) this.report(trouble)
  }

  /** Notifies every admin, unless a process has done so lately. */
  async notify({ name, write, since }: Alert): Promise<void> {
    const { prisma, roles, outbox, log, signal } = this.#context
    const admins = await roles.admins()
    // The first admin is appointed a while after the first start, and must receive the alert then.
    if (admins.length === 0) return
    const hourAgo = new Date((await readTime(prisma)).getTime() - REPEAT_MS)
    if (!(await claimAlert(prisma, name, since ?? hourAgo))) return
    for (const { userId, languageCode } of admins) {
      outbox
        .send({ chatId: userId, text: write(languageCode) }, { signal })
        .catch((error: unknown) => {
          log.warn({ ...errorFacts(error), adminId: userId, alert: name }, 'admin not notified')
        })
    }
  }

  report(trouble: Trouble): void {
    const { texts, storedSettings, log } = this.#context
    const { name, key, facts = {} } = describe(trouble)
    const write = (languageCode: string | undefined) =>
      texts.t(languageCode, key, writeFacts(facts, languageCode))
    const notify = async () => {
      if ((await storedSettings.read()).serviceFailures) await this.notify({ name, write })
    }
    notify().catch((error: unknown) => {
      // The next failure is reported.
      log.warn({ ...errorFacts(error), alert: name }, 'admins not notified')
    })
  }
}

export function writeFacts(facts: Facts, languageCode: string | undefined): TextVariables {
  const written = Object.entries(facts).map(([name, fact]) => [
    name,
    typeof fact === 'bigint' ? formatMoney(fact, languageCode) : fact,
  ])
  return Object.fromEntries(written)
}

export type Facts = Readonly<Record<string, string | number | bigint>>

function describe(trouble: Trouble): {
  name: string
  key: string
  facts?: Facts
} {
  if (typeof trouble === 'string') {
    return { name: trouble, key: `admin-${trouble.replaceAll('_', '-')}` }
  }
  if ('misconfiguredModel' in trouble) {
    const { misconfiguredModel: model } = trouble
    const facts = { model: shorten(model, MODEL_CHARS_MAX) }
    return { name: `model_misconfigured ${model}`, key: 'admin-model-misconfigured', facts }
  }
  if ('failure' in trouble) return describeRefusal(trouble)
  if ('upstream' in trouble) {
    const { model, upstream, old, next } = trouble
    const facts = {
      model: shorten(model, MODEL_CHARS_MAX),
      upstream: shorten(upstream, MODEL_CHARS_MAX),
      old,
      reason: next === undefined ? 'missing' : 'high',
      next: next ?? '',
    }
    return { name: `price_kept ${upstream} ${model}`, key: 'admin-price-kept', facts }
  }
  const { pricedModel, chargedMicroRub: charged, reportedMicroRub: reported } = trouble
  const facts = { model: shorten(pricedModel, MODEL_CHARS_MAX), charged, reported }
  return { name: `cost_differs ${pricedModel}`, key: 'admin-cost-differs', facts }
}

function describeRefusal(refusal: ProviderRefusal) {
  const { model, endpoint, upstream, failure } = refusal
  const { status, explanation } = failure
  const asked = model ?? endpoint
  const cause = causeOf(refusal)
  // A key and money concern all models of an upstream, which share one alert.
  const work = cause === 'key' || cause === 'money' ? [] : [asked ?? '']
  const facts = {
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
  return { name, key: 'admin-provider-refused', facts }
}

function causeOf({ model, endpoint, failure }: ProviderRefusal) {
  const { kind, status } = failure
  if (status === 403) return 'rights'
  if (kind !== 'unauthorized') {
    return model === undefined && endpoint === undefined ? 'address' : 'name'
  }
  return status === undefined || status === 401 ? 'key' : 'money'
}
