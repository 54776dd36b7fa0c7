/** What a route's schemas cannot say of it. The rest of its operation is in `openapi.ts`. */
export interface OperationText {
  tag: 'chat' | 'generation' | 'account'
  summary: string
  description?: string
  requestExample?: object
  answerExample: object
  /** Statuses of refusals that not every route has. */
  refusals?: readonly Refused[]
  /** Headers of the request, by their component's name. */
  headers?: readonly ('IdempotencyKey' | 'CallbackUrl')[]
  /** Path parameters, by their component's name. */
  params?: readonly 'TaskId'[]
  /** A header of the answer besides `X-Request-Id`. */
  answerHeader?: { name: string; component: 'AcceptIdempotencyKey' }
  /** Whether the end of what it creates is told to an `X-Callback-Url`. */
  tellsEnd?: boolean
  /** What the answer is when it is streamed, event by event. */
  eventExample?: string
}

export type Refused = 400 | 401 | 402 | 404 | 413 | 415 | 422 | 429 | 500 | 502 | 503

/** What each refusal means, and an example of its `detail`. */
export const REFUSALS: Readonly<Record<Refused, { description: string; detail: string }>> = {
  400: { description: 'The request is not whole.', detail: 'The request cannot be read.' },
  401: { description: 'The API key is missing or not valid.', detail: 'The API key is not valid.' },
  402: {
    description: 'The balance does not reach. Nothing is charged.',
    detail: 'Insufficient balance: 2.55 RUB needed, 1.2 available.',
  },
  404: { description: 'No such task belongs to the account.', detail: 'There is no such task.' },
  413: { description: 'The body is too large.', detail: 'The request body is too large.' },
  415: { description: 'The body is not JSON.', detail: 'Content-Type must be application/json.' },
  422: {
    description: 'The request is not valid. Nothing is charged.',
    detail: 'model: is required',
  },
  429: {
    description: 'The account asks too often. Nothing is charged.',
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
}

const CHAT_MODEL = {
  id: 'alpha-large',
  family: 'A',
  context_tokens: 1_000_000,
  prompt_rub_per_1m: 150,
  completion_rub_per_1m: 600,
}

const CHAT_REQUEST = {
  model: 'alpha-large',
  messages: [
    { role: 'system', content: 'Answer in one sentence.' },
    { role: 'user', content: 'What is a kopeck?' },
  ],
  max_tokens: 200,
}

const CHAT_ANSWER = {
  request_id: '0b6f0f6e-3c0f-4f0e-9d53-6f1f2f0d7a11',
  model: 'alpha-large',
  content: 'A hundredth of a rouble.',
  finish_reason: 'stop',
  usage: { prompt_tokens: 24, completion_tokens: 7, total_tokens: 31 },
  cost_rub: 0.0078,
  cost_coins: 0.0078,
}

const CHAT_EVENTS = `data: {"id":"0b6f0f6e","object":"chat.completion.chunk","model":"alpha-large","choices":[{"index":0,"delta":{"content":"A hundredth of a rouble."},"finish_reason":null}]}

data: {"id":"0b6f0f6e","object":"chat.completion.chunk","model":"alpha-large","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":24,"completion_tokens":7,"total_tokens":31},"cost_rub":0.0078,"cost_coins":0.0078}

data: [DONE]

`

const OPERATIONS: Readonly<Record<string, OperationText>> = {
  'POST /chats/completions': {
    tag: 'chat',
    summary: 'Answer a conversation',
    description:
      'An estimate is taken from the balance first and corrected to the real usage after the answer. ' +
      'With `stream: true` the answer comes as events. Each carries a `ChatChunk`, the last of them with ' +
      'usage and cost, and `[DONE]` ends the stream. An answer that breaks off in the middle ends with a ' +
      '`ChatStreamError` instead, and its estimate stays charged.',
    requestExample: CHAT_REQUEST,
    answerExample: CHAT_ANSWER,
    eventExample: CHAT_EVENTS,
    refusals: [402, 429, 502],
  },
  'GET /chats/models': {
    tag: 'chat',
    summary: 'List the chat models and their prices',
    answerExample: { models: [CHAT_MODEL] },
  },
  'GET /task/:task_id': {
    tag: 'generation',
    summary: 'See how a task stands',
    description: 'At most once in 3 seconds for a task. A task that succeeded or failed stays so.',
    params: ['TaskId'],
    answerExample: {
      status: 'success',
      result_urls: ['https://kopeck.example/files/clip.mp4'],
      error: null,
    },
    refusals: [404, 429],
  },
  'GET /balance': {
    tag: 'account',
    summary: 'See the balance',
    answerExample: { balance_rub: 99.9922 },
    answerHeader: { name: 'Accept-Idempotency-Key', component: 'AcceptIdempotencyKey' },
  },
  'GET /callback/secret': {
    tag: 'account',
    summary: 'Get the secret that callbacks are signed with',
    description: 'It is the same for ever: once is enough.',
    answerExample: { secret: '5f0c…' },
    refusals: [429],
  },
}

const CREATION = /^POST \/(image|video|sound)s\//

const CREATION_EXAMPLES: Readonly<Record<string, object>> = {
  video: { prompt: 'A kopeck rolls down a hill', duration: 5, aspect_ratio: '1280:720' },
  image: { prompt: 'A kopeck on a windowsill' },
  sound: { prompt: 'A kopeck falls on a stone floor' },
}

/**
 * Finds the text of a route.
 *
 * @param name Method and path below the version, as `GET /balance`.
 * @throws {TypeError} If nobody has written it.
 */
export function findOperationText(name: string): OperationText {
  const made = CREATION.exec(name)?.[1]
  const text = made === undefined ? OPERATIONS[name] : describeCreation(made)
  if (text === undefined) throw new TypeError(`Cannot describe ${name}: it has no text`)
  return text
}

function describeCreation(made: string): OperationText {
  return {
    tag: 'generation',
    summary: `Create ${made === 'image' ? 'an' : 'a'} ${made}`,
    description:
      'The price is charged at once, and returned if the task fails. Without `X-Callback-Url` the result ' +
      'is to be asked for with `GET /task/{task_id}`.',
    requestExample: CREATION_EXAMPLES[made] ?? {},
    answerExample: { task_id: 42 },
    refusals: [402, 429, 502],
    headers: ['IdempotencyKey', 'CallbackUrl'],
    // Videos are only to be polled for.
    tellsEnd: made !== 'video',
  }
}
