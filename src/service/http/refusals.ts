import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import {
  CONTEXT_LENGTH_EXCEEDED,
  type FieldProblem,
  MODEL_MISCONFIGURED,
  type RefusalCode,
} from '../../contract/chat.ts'
import { formatRub } from '../../contract/money.ts'
import type { OpenAiError } from '../../contract/openai.ts'
import { LeaseLostError } from '../../platform/database/instance/instance.ts'
import { isDatabaseTrouble } from '../../platform/database/trouble.ts'
import type { TroubleLog } from '../../platform/fold-repeats.ts'
import { formatPath } from '../../platform/guard.ts'
import { ClientGoneError } from '../chat/chat-client.ts'
import { UNKNOWN_MODEL } from '../chat/models.ts'
import { UnsureEndError } from '../chat/unsettled.ts'
import { toDetail, toFieldProblems } from '../field-problems.ts'
import {
  AccountFrozenError,
  BalanceTooLowError,
  IdempotencyKeyReusedError,
  InvalidKeyError,
  ModelNotAllowedError,
  RateLimitReachedError,
  RequestUnderWayError,
  SpendLimitReachedError,
} from '../ledger/errors.ts'
import { ProviderError } from '../providers/provider.ts'
import { CLIENT_GONE } from './client-gone.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    refusalsAs?: RefusalForm
  }
}

/** The content of a refusal, in any of its forms. */
export interface RefusalWords {
  statusCode: number
  detail: string | readonly FieldProblem[]
  openAiCode?: string | undefined
  /** Our word for what is wrong, where the status alone would mislead a client. */
  errorCode?: RefusalCode | undefined
}

/** How refusals are written: with a list of the fields, as one sentence, or in OpenAI's shape. */
export type RefusalForm = keyof typeof REFUSAL_FORMS

export const REFUSAL_FORMS = {
  fields: ({ statusCode, detail }: RefusalWords) => ({ statusCode, body: { detail } }),
  sentence: ({ statusCode, detail, errorCode: code }: RefusalWords) => ({
    statusCode,
    body: { detail: toText(detail), ...(code !== undefined && { code }) },
  }),
  openai: toOpenAiRefusal,
}

type RefusalOptions = Partial<Pick<Refusal, 'retryAfterMs' | 'openAiCode' | 'errorCode'>>

/** A request that is refused, with the status and the `detail` its caller reads. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly statusCode: number
  readonly detail: string | readonly FieldProblem[]
  readonly retryAfterMs: number | undefined
  readonly openAiCode: string | undefined
  readonly errorCode: RefusalCode | undefined

  constructor(
    statusCode: number,
    detail: string | readonly FieldProblem[],
    { retryAfterMs, openAiCode, errorCode, ...options }: ErrorOptions & RefusalOptions = {},
  ) {
    super(`Refused with ${statusCode}`, options)
    this.statusCode = statusCode
    this.detail = detail
    this.retryAfterMs = retryAfterMs
    this.openAiCode = openAiCode
    this.errorCode = errorCode
  }
}

/** The sentence for a path that is not there, or not any more. */
export const NO_SUCH_PATH = 'There is no such path.'

const OTHER_REQUEST: FieldProblem = {
  loc: ['header', 'idempotency-key'],
  msg: 'was used for another request',
}
/** The refusal of an idempotency key that names another request. */
export const KEY_REUSED = {
  description: 'The `Idempotency-Key` was used for another request. Nothing is charged.',
  detail: [OTHER_REQUEST],
}
/** Many answers are there by then. */
const UNDER_WAY = new Refusal(
  409,
  'The first request with this Idempotency-Key is under way: ask again for its answer.',
  { retryAfterMs: 2_000 },
)
const FROZEN = new Refusal(403, 'The account is frozen: its operator can tell why.')
const INTERNAL_DETAIL = 'The service made a mistake. It is logged.'
const LEASE_LOST = new Refusal(503, 'The service begins again.')
const DATABASE_DETAIL = 'The balance service is not available now.'
/** How long a client waits before it asks for what was not available: by then a restarted database is back. */
const UNAVAILABLE_MS = 2_000
/** How long it waits where an operator has to mend something first. */
const MISCONFIGURED_MS = 60_000

/** PostgreSQL has no U+0000 in text and no lone surrogates in JSON; a request with one is refused. */
const UNSTORABLE: ReadonlySet<string> = new Set(['22021', '22P05', '22P02'])

interface OpenAiKind {
  statusCode?: number
  type?: string
  code?: string
}

/**
 * OpenAI's counterparts of our statuses. A balance that does not reach is 402 and not OpenAI's 429, for clients
 * try a 429 again, in vain. What the model refuses it would refuse again: 400 and not 502.
 */
const OPENAI_KINDS: Readonly<Record<number, OpenAiKind>> = {
  401: { code: 'invalid_api_key' },
  402: { type: 'insufficient_quota', code: 'insufficient_quota' },
  403: { type: 'request_forbidden' },
  422: { statusCode: 400 },
  429: { type: 'requests', code: 'rate_limit_exceeded' },
  502: { statusCode: 400, code: 'model_refused' },
}
const MODEL_NOT_FOUND: OpenAiKind = { statusCode: 404, code: 'model_not_found' }
const OTHER_KEY: OpenAiKind = { code: 'idempotency_key_reused' }

const NOT_LISTED = [{ ...UNKNOWN_MODEL, msg: 'is not one of GET /models' }]

/** The refusal of a model that is not there, or not for the key. */
export const NO_MODEL = {
  description: 'There is no such model, or it is not for this key.',
  detail: [UNKNOWN_MODEL],
}

const NO_JSON_TYPE = new Refusal(415, 'Content-Type must be application/json.')

/**
 * Makes what answers with what an error means to the caller. An unexpected error is logged and answered
 * with 500, without a word of what happened inside.
 *
 * @param troubles Logs that the database is away, or the lease lost, which every request finds out for itself.
 */
export function createErrorHandler(troubles: TroubleLog) {
  return (
    error: FastifyError | Error,
    request: FastifyRequest,
    reply: FastifyReply,
  ): FastifyReply => {
    if (error instanceof UnsureEndError) return breakOff(error, request, reply)
    const refusal = toRefusal(error)
    const { statusCode } = refusal
    const retryAfterMs = refusal.retryAfterMs ?? (statusCode === 503 ? UNAVAILABLE_MS : undefined)
    const isCommon = isDatabaseTrouble(error) || error instanceof LeaseLostError
    const log = isCommon ? troubles : request.log
    if (error instanceof ClientGoneError) request.log.info('client left before an answer')
    else if (statusCode >= 500) {
      const line = toLogLine(error)
      if (line !== undefined) log.error(line, 'request failed')
    }
    if (retryAfterMs !== undefined) reply.header('retry-after', toSeconds(retryAfterMs))
    const { refusalsAs = 'fields' } = request.routeOptions.config
    const answer = REFUSAL_FORMS[refusalsAs](refusal)
    return reply.code(answer.statusCode).send(answer.body)
  }
}

/** Ends the connection without a status: none would surely be true. */
function breakOff(
  error: UnsureEndError,
  { log }: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  log.error({ err: error }, 'request broken off')
  reply.hijack()
  reply.raw.destroy()
  return reply
}

/**
 * @returns The fields of an error's log line; undefined for a provider's, which is logged by its caller, and
 *   for a refusal: the line of the request's end has its status.
 */
export function toLogLine(error: unknown): object | undefined {
  if (error instanceof Refusal) return undefined
  if (!(error instanceof ProviderError)) return { err: error }
  return error.failure === undefined ? { reason: error.message } : undefined
}

export function toRefusal(error: FastifyError | Error): Refusal {
  if (error instanceof Refusal) return error
  if (error instanceof ClientGoneError) return new Refusal(CLIENT_GONE, error.message)
  if (error instanceof InvalidKeyError) return new Refusal(401, 'The API key is not valid.')
  if (error instanceof AccountFrozenError) return FROZEN
  if (error instanceof IdempotencyKeyReusedError) return new Refusal(422, KEY_REUSED.detail)
  if (error instanceof RequestUnderWayError) return UNDER_WAY
  if (error instanceof ModelNotAllowedError) return new Refusal(422, [UNKNOWN_MODEL])
  if (error instanceof SpendLimitReachedError) {
    const needed = formatRub(error.neededMicroRub)
    const left = `${formatRub(error.leftMicroRub)} of ${formatRub(error.limitMicroRub)}`
    const until = error.renewsAt === undefined ? '' : ` until ${error.renewsAt.toISOString()}`
    return new Refusal(
      402,
      `The spend limit of the API key is reached: ${needed} RUB needed, ${left} left${until}.`,
    )
  }
  if (error instanceof BalanceTooLowError) {
    const needed = formatRub(error.neededMicroRub)
    const available = formatRub(error.availableMicroRub)
    return new Refusal(402, `Insufficient balance: ${needed} RUB needed, ${available} available.`)
  }
  if (error instanceof RateLimitReachedError) {
    const { retryAfterMs } = error
    const detail = `Too many requests: try again in ${toSeconds(retryAfterMs)} s.`
    return new Refusal(429, detail, { retryAfterMs })
  }
  if (error instanceof ProviderError) {
    if (error.code === 'rejected') {
      const errorCode = error.isTooLong ? CONTEXT_LENGTH_EXCEEDED : undefined
      return new Refusal(502, error.message, { errorCode })
    }
    const { message, failure: { retryAfterMs } = {} } = error
    if (!error.isLasting) return new Refusal(503, message, { retryAfterMs })
    return new Refusal(503, message, {
      retryAfterMs: Math.max(retryAfterMs ?? 0, MISCONFIGURED_MS),
      errorCode: MODEL_MISCONFIGURED,
    })
  }
  if ('validation' in error && error.validation !== undefined) {
    return new Refusal(422, toFieldProblems(error.validation, error.validationContext ?? 'body'))
  }
  const code = 'code' in error ? String(error.code) : ''
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return NO_JSON_TYPE
  if (UNSTORABLE.has(code))
    return new Refusal(422, [{ loc: ['body'], msg: 'has text nobody can store' }])
  if (isDatabaseTrouble(error)) return new Refusal(503, DATABASE_DETAIL)
  if (error instanceof LeaseLostError) return LEASE_LOST
  const status = 'statusCode' in error ? Number(error.statusCode) : 500
  if (status >= 400 && status < 500) return new Refusal(status, 'The request cannot be read.')
  return new Refusal(500, INTERNAL_DETAIL)
}

/** Whole seconds, so that the next request comes late rather than early. */
function toSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000))
}

function toOpenAiRefusal({
  statusCode: ownStatusCode,
  detail,
  errorCode,
  openAiCode = errorCode,
}: RefusalWords): {
  statusCode: number
  body: OpenAiError
} {
  const problem = typeof detail === 'string' ? undefined : detail[0]
  const known = kindOf(problem) ?? OPENAI_KINDS[ownStatusCode]
  const { statusCode = ownStatusCode, type, code = null } = known ?? {}
  const [, ...path] = problem?.loc ?? []
  const body: OpenAiError = {
    error: {
      message: toText(known === MODEL_NOT_FOUND ? NOT_LISTED : detail),
      type: type ?? (statusCode >= 500 ? 'server_error' : 'invalid_request_error'),
      param: path.length === 0 ? null : formatPath(path),
      code: openAiCode ?? code,
    },
  }
  return { statusCode, body }
}

function kindOf(problem: FieldProblem | undefined): OpenAiKind | undefined {
  if (problem === OTHER_REQUEST) return OTHER_KEY
  return problem === UNKNOWN_MODEL ? MODEL_NOT_FOUND : undefined
}

function toText(detail: RefusalWords['detail']): string {
  return typeof detail === 'string' ? detail : toDetail(detail)
}
