/**
 * Paid work at a provider: one creation, then polls. That a creation may be out is stored before it is sent. A creation of
 * unknown outcome is sent again only to a provider that honours its key; otherwise the task fails.
 */
import type { Answer, Exchange } from '../../platform/http/http-client.ts'
import { readRetryAfterMs } from '../../platform/http/http-client.ts'
import { EXPLANATION_BYTES_MAX } from './explanation.ts'
import {
  judgeStatus,
  type ProviderFailure,
  RETRY_AFTER_MS_MAX,
  readBreak,
  readRefusal,
  type Verdict,
} from './failure.ts'
import {
  type GenerationProvider,
  type GenerationResult,
  type GenerationState,
  type GenerationStep,
  ProviderError,
  type ProviderOperation,
} from './provider.ts'
import {
  createProviderHttp,
  type ProviderAccess,
  type ProviderRequest,
  readJson,
} from './provider-http.ts'

/** Fields of the providers' bodies that hold what the customer wrote: no log may quote them. */
const CUSTOMER_FIELDS = ['prompt', 'image_url', 'promptText', 'promptImage', 'input']

/** A creation is not out, is perhaps out, or was accepted; `work` is then the provider's name for the work. */
type Operation = { key: string; body: Record<string, unknown> } & (
  | { phase: 'unsent' | 'sent' }
  | { phase: 'begun'; work: string }
)

/** Checks whether paid work may have begun. An operation without phases costs nothing: it is begun again at will. */
export function mayHaveBegun({ phase }: ProviderOperation): boolean {
  return phase === 'sent' || phase === 'begun'
}

export interface PaidApi<Params> {
  access: ProviderAccess
  headers?: Record<string, string>
  toBody(params: Params): Record<string, unknown>
  /** The rest of the POST that creates the work. */
  creation(operation: Operation): Pick<ProviderRequest, 'path' | 'headers' | 'headersMs'>
  judge?(answer: Answer): Verdict
  /** @returns The name of the accepted work, or its results if the answer has them; undefined if it has neither. */
  accept(answer: Answer): string | GenerationResult[] | undefined
  /** `readEnd()` returns undefined while work runs. Without polls, the link to its result names the work. */
  poll?: {
    path(work: string): string
    intervalMs: number
    readEnd(json: unknown): GenerationState | undefined
  }
  /** Asks whether the provider honours the key of a creation, so that it may be sent again. */
  keys?: { path: string; areHonoured(answer: Answer): boolean }
}

export function createPaidProvider<Params>(api: PaidApi<Params>): GenerationProvider<Params> {
  const { access, judge = ({ status }: Answer) => judgeStatus(status), poll, keys } = api
  const send = createProviderHttp(access, api.headers)
  return {
    start: async (params, key) => ({ phase: 'unsent', key, body: api.toBody(params) }),
    async check(stored, step) {
      const operation = stored as Operation
      if (operation.phase === 'begun') return await look(operation.work, step.signal)
      if (operation.phase === 'sent') return await createAgain(operation, step)
      return await create(operation, step)
    },
  }

  /** @param operation Stored again if nothing has begun. */
  async function create(operation: Operation, step: GenerationStep): Promise<GenerationState> {
    const { body } = operation
    const { signal } = step
    await step.save({ ...operation, phase: 'sent' })
    const exchange = await send({ method: 'POST', ...api.creation(operation), body, signal })
    const verdict = toVerdict(exchange)
    if (verdict === 'unavailable') await step.save(operation)
    if (exchange.outcome !== 'answered' && signal.aborted) throw toUnavailable(exchange.cause)
    if (exchange.outcome === 'answered' && verdict === 'accepted') {
      const accepted = api.accept(exchange)
      if (typeof accepted === 'string') {
        await step.save({ ...operation, phase: 'begun', work: accepted })
        return poll ? goesOn(poll.intervalMs) : toSuccess([accepted])
      }
      if (accepted !== undefined) return { status: 'success', results: accepted }
    }
    const failure = toFailure(exchange, body)
    if (verdict === 'rejected') return { ...REJECTED, failure: { ...failure, kind: 'refused' } }
    if (verdict === 'accepted' || verdict === 'refused') return { status: 'refused', failure }
    if (verdict === 'unknown' && keys === undefined) return { ...CUT_OFF, failure }
    return { status: 'unbegun', failure }
  }

  async function createAgain(operation: Operation, step: GenerationStep): Promise<GenerationState> {
    if (keys === undefined) return CUT_OFF
    const answer = await send({ method: 'GET', path: keys.path, signal: step.signal })
    if (answer.outcome !== 'answered' || answer.status !== 200) {
      return { status: 'unbegun', failure: toFailure(answer) }
    }
    return keys.areHonoured(answer) ? await create(operation, step) : CUT_OFF
  }

  /** @throws {ProviderError} `unavailable`, if the answer is no 200. */
  async function look(work: string, signal: AbortSignal): Promise<GenerationState> {
    if (poll === undefined) return toSuccess([work])
    const exchange = await send({ method: 'GET', path: poll.path(work), signal })
    if (exchange.outcome !== 'answered') throw toUnavailable(exchange.cause, toFailure(exchange))
    if (exchange.status === 200) {
      return poll.readEnd(readJson(exchange)) ?? goesOn(poll.intervalMs)
    }
    if (exchange.status === 429) {
      return goesOn(Math.max(poll.intervalMs, readRetryAfterMs(exchange.headers) ?? 0))
    }
    const cause = new Error(`Cannot read work: the provider answered ${exchange.status}`)
    throw toUnavailable(cause, toFailure(exchange))
  }

  function toVerdict(exchange: Exchange): Verdict {
    if (exchange.outcome === 'answered') return judge(exchange)
    return exchange.outcome === 'unsent' ? 'unavailable' : 'unknown'
  }

  function toFailure(exchange: Exchange, body: Operation['body'] = {}): ProviderFailure {
    const unspeakable = {
      secrets: access.apiKey === undefined ? [] : [access.apiKey],
      texts: CUSTOMER_FIELDS.map((name) => body[name]).filter((text) => typeof text === 'string'),
    }
    if (exchange.outcome !== 'answered') return readBreak(exchange.cause, unspeakable)
    const head = exchange.body.subarray(0, EXPLANATION_BYTES_MAX)
    return readRefusal({ ...exchange, body: head }, unspeakable)
  }
}

function goesOn(checkAfterMs: number): GenerationState {
  return { status: 'generating', checkAfterMs: Math.min(checkAfterMs, RETRY_AFTER_MS_MAX) }
}

export function toSuccess(urls: readonly string[]): GenerationState {
  return { status: 'success', results: urls.map((url) => ({ type: 'url', url })) }
}

function toUnavailable(cause: unknown, failure?: ProviderFailure): ProviderError {
  return new ProviderError('unavailable', 'The provider is not available now.', { cause, failure })
}

const REJECTED = {
  status: 'fail',
  code: 502,
  message: 'The provider refused the request.',
} as const

const CUT_OFF = {
  status: 'fail',
  code: 502,
  message: 'The provider was cut off while it began the work.',
} as const
