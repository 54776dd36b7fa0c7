/**
 * Every refusal of the API: its status, its sentence, its headers, and what OpenAI's clients read instead.
 * Invariant: nothing of an unexpected error reaches a client.
 */
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
import { formatPath } from '../../platform/http/json.ts'
import { ClientGoneError } from '../chat/chat-client.ts'
import { UNKNOWN_MODEL } from '../chat/models.ts'
import { UnsureEndError } from '../chat/unsettled.ts'
import { toDetail } from '../field-problems.ts'
import { type RefusalReason, RequestRefusedError } from '../ledger/errors.ts'
import { ProviderError } from '../providers/provider.ts'

export type RefusalForm = 'fields' | 'sentence' | 'openai'

declare module 'fastify' {
  interface FastifyContextConfig {
    refusalsAs?: RefusalForm
  }
}

interface RefusalExtras {
  retryAfterMs?: number | undefined
  /** Stands beside the sentence if the status alone would mislead a client. */
  code?: RefusalCode | undefined
  openAiStatus?: number | undefined
  openAiType?: string | undefined
  /** Default: `code`. */
  openAiCode?: string | undefined
}

interface RefusalRow extends RefusalExtras {
  status: number
  detail: string | readonly FieldProblem[]
}

/** The status that proxies log for a request whose client left before an answer. */
export const CLIENT_GONE = 499

/** A restarted database is back by then, and many first requests are answered. */
const SOON = { retryAfterMs: 2_000 }
/** An operator has to correct something first. */
const MISCONFIGURED_MS = 60_000
const WRONG_KEY = { openAiCode: 'invalid_api_key' }
// OpenAI's 429 would make clients try again in vain.
const NO_QUOTA = { openAiType: 'insufficient_quota', openAiCode: 'insufficient_quota' }
const NO_MODEL = { openAiStatus: 404, openAiCode: 'model_not_found' }
const AT_LIMIT = { openAiType: 'requests', openAiCode: 'rate_limit_exceeded' }
const FROZEN = 'The account is frozen: its operator can tell why.'
const UNDER_WAY =
  'The first request with this Idempotency-Key is under way: ask again for its answer.'
const USED_KEY: FieldProblem = {
  loc: ['header', 'idempotency-key'],
  msg: 'was used for another request',
}
// A repeat would be refused, too.
const REFUSED = 'The model refused the request.'
const AWAY = 'The model is not available now.'

/** The rows by name; the ledger's codes are names of rows. */
const TABLE = {
  unreadable: [400, 'The request cannot be read.'],
  no_key: [401, 'An API key is needed: Authorization: Bearer <API_KEY>.', WRONG_KEY],
  invalid_key: [401, 'The API key is not valid.', WRONG_KEY],
  low_balance: [402, 'Insufficient balance: 2.55 RUB needed, 1.2 available.', NO_QUOTA],
  account_frozen: [403, FROZEN, { openAiType: 'request_forbidden' }],
  no_path: [404, 'There is no such path.'],
  no_task: [404, 'There is no such task.'],
  no_model: [404, [UNKNOWN_MODEL], NO_MODEL],
  request_under_way: [409, UNDER_WAY, SOON],
  large_body: [413, 'The request body is too large.'],
  no_json: [415, 'Content-Type must be application/json.'],
  wrong_coding: [415, 'The request body must not be compressed.'],
  wrong_field: [422, [{ loc: ['body'], msg: 'must be JSON' }], { openAiStatus: 400 }],
  model_not_allowed: [422, [UNKNOWN_MODEL], NO_MODEL],
  idempotency_key_reused: [422, [USED_KEY], { openAiCode: 'idempotency_key_reused' }],
  too_many: [429, 'Too many requests: try again in 12 s.', AT_LIMIT],
  internal: [500, 'The service made a mistake. It is logged.'],
  rejected: [502, REFUSED, { openAiStatus: 400, openAiCode: 'model_refused' }],
  too_long: [502, REFUSED, { openAiStatus: 400, code: CONTEXT_LENGTH_EXCEEDED }],
  unavailable: [503, AWAY, SOON],
  misconfigured: [503, AWAY, { retryAfterMs: MISCONFIGURED_MS, code: MODEL_MISCONFIGURED }],
  no_database: [503, 'The balance service is not available now.', SOON],
  restarting: [503, 'The service begins again.', SOON],
} as const satisfies Record<string, readonly [number, RefusalRow['detail'], RefusalExtras?]>

type RefusalName = keyof typeof TABLE

/** The answer to an unknown path. OpenAI's clients show only `error`. */
export const NO_PATH_BODY = {
  detail: TABLE.no_path[1],
  error: {
    message: 'There is no such path: chats are POST /chat/completions, and models GET /models.',
    type: 'invalid_request_error',
    param: null,
    code: 'unknown_url',
  },
} satisfies { detail: string } & OpenAiError

/** A request that is refused with a row of the table, or with one like it. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly row: RefusalRow

  constructor(name: RefusalName, { cause, ...facts }: Partial<RefusalRow> & ErrorOptions = {}) {
    const [status, detail, extras] = TABLE[name]
    super(`Refused with ${status}`, { cause })
    this.row = { status, detail, ...extras, ...facts }
  }
}

export function refuseFields(detail: readonly FieldProblem[], openAiCode?: string): Refusal {
  if (detail[0] === UNKNOWN_MODEL) return new Refusal('model_not_allowed')
  return new Refusal('wrong_field', { detail, openAiCode })
}

function toAnswer(row: RefusalRow, form: RefusalForm): { status: number; body: object } {
  const { status, detail, code } = row
  if (form === 'fields') return { status, body: { detail } }
  if (form === 'openai') return toOpenAiAnswer(row)
  return { status, body: { detail: toText(detail), ...(code && { code }) } }
}

function toOpenAiAnswer({ detail, openAiType, ...row }: RefusalRow) {
  const status = row.openAiStatus ?? row.status
  const problem = typeof detail === 'string' ? undefined : detail[0]
  const [, ...path] = problem?.loc ?? []
  const error: OpenAiError['error'] = {
    message: problem === UNKNOWN_MODEL ? 'model: is not one of GET /models' : toText(detail),
    type: openAiType ?? (status >= 500 ? 'server_error' : 'invalid_request_error'),
    param: path.length === 0 ? null : formatPath(path),
    code: row.openAiCode ?? row.code ?? null,
  }
  return { status, body: { error } }
}

function toText(detail: RefusalRow['detail']): string {
  return typeof detail === 'string' ? detail : toDetail(detail)
}

/** Answers with the refusal of an error. `troubles` logs what every request finds out for itself. */
export function answerRefusal(
  error: FastifyError | Error,
  {
    request,
    reply,
    troubles,
  }: { request: FastifyRequest; reply: FastifyReply; troubles: TroubleLog },
): FastifyReply {
  if (error instanceof UnsureEndError) {
    // No status would surely be true: the connection ends without one.
    request.log.error({ err: error }, 'request broken off')
    reply.hijack()
    reply.raw.destroy()
    return reply
  }
  const { row } = toRefusal(error)
  if (error instanceof ClientGoneError) request.log.info('client left before an answer')
  else if (row.status >= 500) {
    const isCommon = isDatabaseTrouble(error) || error instanceof LeaseLostError
    const line = toLogLine(error)
    if (line !== undefined) (isCommon ? troubles : request.log).error(line, 'request failed')
  }
  if (row.retryAfterMs !== undefined) reply.header('retry-after', toSeconds(row.retryAfterMs))
  const { status, body } = toAnswer(row, request.routeOptions.config.refusalsAs ?? 'fields')
  return reply.code(status).send(body)
}

/** Returns an error's log line; undefined for one that its caller has logged, and for a refusal. */
export function toLogLine(error: unknown): object | undefined {
  if (error instanceof Refusal) return undefined
  if (!(error instanceof ProviderError)) return { err: error }
  return error.failure === undefined ? { reason: error.message } : undefined
}

export function toRefusal(error: FastifyError | Error): Refusal {
  if (error instanceof Refusal) return error
  if (error instanceof RequestRefusedError) return refuseByLedger(error.reason)
  if (error instanceof ProviderError) return refuseByProvider(error)
  if (error instanceof ClientGoneError) {
    return new Refusal('unreadable', { status: CLIENT_GONE, detail: error.message })
  }
  if ('code' in error && error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new Refusal('no_json')
  if (isDatabaseTrouble(error)) return new Refusal('no_database')
  if (error instanceof LeaseLostError) return new Refusal('restarting')
  const status = 'statusCode' in error ? Number(error.statusCode) : 500
  return status >= 400 && status < 500
    ? new Refusal('unreadable', { status })
    : new Refusal('internal')
}

function refuseByLedger(reason: RefusalReason): Refusal {
  switch (reason.code) {
    case 'balance_too_low': {
      const needed = formatRub(reason.neededMicroRub)
      const available = formatRub(reason.availableMicroRub)
      const detail = `Insufficient balance: ${needed} RUB needed, ${available} available.`
      return new Refusal('low_balance', { detail })
    }
    case 'spend_limit_reached': {
      const needed = formatRub(reason.neededMicroRub)
      const left = `${formatRub(reason.leftMicroRub)} of ${formatRub(reason.limitMicroRub)}`
      const detail = `The spend limit of the API key is reached: ${needed} RUB needed, ${left} left.`
      return new Refusal('low_balance', { detail })
    }
    case 'rate_limit_reached': {
      const { retryAfterMs } = reason
      const detail = `Too many requests: try again in ${toSeconds(retryAfterMs)} s.`
      return new Refusal('too_many', { detail, retryAfterMs })
    }
    case 'reference_reused':
      // Only an operator's command adjusts a balance.
      return new Refusal('internal')
    default:
      return new Refusal(reason.code)
  }
}

function refuseByProvider({ code, message: detail, isTooLong, isLasting, failure }: ProviderError) {
  if (code === 'rejected') return new Refusal(isTooLong ? 'too_long' : 'rejected', { detail })
  const { retryAfterMs } = failure ?? {}
  if (!isLasting)
    return new Refusal('unavailable', { detail, retryAfterMs: retryAfterMs ?? SOON.retryAfterMs })
  const lastingMs = Math.max(retryAfterMs ?? 0, MISCONFIGURED_MS)
  return new Refusal('misconfigured', { detail, retryAfterMs: lastingMs })
}

/** Whole seconds, so that the next request comes late rather than early. */
function toSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000))
}
