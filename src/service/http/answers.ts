import type { TSchema } from 'typebox'
import { ErrorBody, FieldErrorBody } from '../../contract/chat.ts'
import { OpenAiError } from '../../contract/openai.ts'
import type { RefusalWords } from './refusals.ts'
import { REFUSAL_FORMS, type RefusalForm } from './refusals.ts'

type RefusedStatus = keyof typeof REFUSALS

/** The meaning of a refusal, and an example of it. */
export interface DescribedRefusal extends Omit<RefusalWords, 'statusCode'> {
  description: string
}

const REFUSALS = {
  400: { description: 'The request is not whole.', detail: 'The request cannot be read.' },
  401: { description: 'The API key is missing or not valid.', detail: 'The API key is not valid.' },
  402: {
    description:
      'The balance, or the spend limit of the API key, does not reach. Nothing is charged.',
    detail: 'Insufficient balance: 2.55 RUB needed, 1.2 available.',
  },
  403: {
    description: 'The account is frozen: it reads, and spends nothing. Nothing is charged.',
    detail: 'The account is frozen: its operator can tell why.',
  },
  408: {
    description: 'The request was not whole in time. Its connection is cut.',
    detail: 'The request cannot be read.',
  },
  409: {
    description:
      'The first request with this `Idempotency-Key` has no answer yet. Nothing is charged.',
    detail: 'The first request with this Idempotency-Key is under way: ask again for its answer.',
  },
  413: { description: 'The body is too large.', detail: 'The request body is too large.' },
  415: {
    description: 'The body is not JSON, or in a coding other than gzip and deflate.',
    detail: 'Content-Type must be application/json.',
  },
  422: {
    description: 'The request is not valid. Nothing is charged.',
    detail: [{ loc: ['body'], msg: 'must be JSON' }],
  },
  429: {
    description: 'The account asks too often, or sends too much at once. Nothing is charged.',
    detail: 'Too many requests: try again in 12 s.',
  },
  500: {
    description: 'The service made a mistake.',
    detail: 'The service made a mistake. It is logged.',
  },
  502: {
    description: 'The provider refused the request. What was taken is returned in full.',
    detail: 'The model refused the request.',
  },
  503: {
    description:
      'The provider or the balance service is not available, or the service is stopping. What was taken is returned in full.',
    detail: 'The model is not available now.',
  },
} as const satisfies Readonly<Record<number, DescribedRefusal>>

const BODIES: Readonly<Record<RefusalForm, { refused: TSchema; invalid: TSchema }>> = {
  fields: { refused: ErrorBody, invalid: FieldErrorBody },
  sentence: { refused: ErrorBody, invalid: ErrorBody },
  openai: { refused: OpenAiError, invalid: OpenAiError },
}

/** What counts towards a limit, or is refused by it, tells of the limit as an answer does. */
const COUNTED: ReadonlySet<number> = new Set([402, 429])
const EVERYWHERE: readonly RefusedStatus[] = [401, 500, 503]
/** The statuses that only a route with a body can refuse with. */
export const BODY_REFUSALS: readonly RefusedStatus[] = [400, 408, 413, 415, 422]

const REQUEST_ID = {
  type: 'string',
  maxLength: 64,
  description: 'Names the request in the log of the service; what the caller sent, if it sent one.',
}
const RETRY_AFTER = {
  type: 'integer',
  minimum: 1,
  description: 'Seconds until the next request is let through.',
}

export interface AnswerOptions {
  refusals?: readonly RefusedStatus[]
  others?: Readonly<Record<number, DescribedRefusal>>
  refusalsAs?: RefusalForm
  headers?: Readonly<Record<string, object>>
  events?: { each: readonly TSchema[]; example: string }
}

/** Describes what a route answers with, for the `response` of its schema. */
export function describeAnswers(
  answer: TSchema,
  { refusals = [], others = {}, refusalsAs = 'fields', headers = {}, events }: AnswerOptions = {},
) {
  const refused = [...EVERYWHERE, ...refusals].map((status) =>
    describeRefusal(status, REFUSALS[status], refusalsAs, COUNTED.has(status) ? headers : {}),
  )
  for (const [status, refusal] of Object.entries(others)) {
    refused.push(describeRefusal(Number(status), refusal, refusalsAs))
  }
  return {
    200: {
      description:
        events === undefined
          ? 'Done.'
          : 'Done: one JSON body without `stream`, and events with `stream: true`.',
      headers: { 'X-Request-Id': REQUEST_ID, ...headers },
      content: {
        'application/json': { schema: answer },
        ...(events !== undefined && {
          'text/event-stream': {
            schema: {
              type: 'string',
              description: 'Of each event, its data; the data of the last one is `[DONE]`.',
              contentMediaType: 'text/event-stream',
              contentSchema: { anyOf: events.each },
            },
            example: events.example,
          },
        }),
      },
    },
    ...Object.fromEntries(refused),
  }
}

function describeRefusal(
  ownStatus: number,
  { description, ...facts }: DescribedRefusal,
  form: RefusalForm,
  ownHeaders: AnswerOptions['headers'] = {},
) {
  const { statusCode, body } = REFUSAL_FORMS[form]({ statusCode: ownStatus, ...facts })
  const { refused, invalid } = BODIES[form]
  const isTimed = ownStatus === 409 || ownStatus === 429 || ownStatus === 503
  return [
    statusCode,
    {
      description,
      headers: {
        'X-Request-Id': REQUEST_ID,
        ...ownHeaders,
        ...(isTimed && { 'Retry-After': RETRY_AFTER }),
      },
      content: {
        'application/json': { schema: ownStatus === 422 ? invalid : refused, example: body },
      },
    },
  ] as const
}
