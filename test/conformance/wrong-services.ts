import type { JsonObject } from '../../src/platform/http/json.ts'
import { CHAT, deltaOf, IMAGE, SECRET, VIDEO } from './service.ts'
import { type Asked, type Reply, RULES, type Rules } from './sound-service.ts'

type Wrong = Partial<Rules>
const FEE = 10_000n

/** One wrong service for each check, by its name. Each breaks the rule of its check and keeps all others. */
export const WRONG_SERVICES: Readonly<Record<string, Wrong>> = {
  'the base URL ends in the version': { prefix: '/v1' },
  'every endpoint refuses a request without a valid key, the video endpoint with 401': {
    overlooks: ({ account, path }) => account === undefined && path === '/balance',
  },
  'every answer is JSON': onStatus('/balance', 401, { contentType: 'text/html' }),

  'GET /chats/models lists models with the prices of input and output': onStatus(
    '/chats/models',
    200,
    { body: { models: [{ id: 'alpha' }] } },
  ),
  'GET /balance answers 200, and reading changes no balance': onStatus('/balance', 200, {
    status: 201,
  }),
  'GET /callback/secret answers with the same secret each time': {
    secretOf: ({ secret }, reads) => (reads === 1 ? secret : `${secret} ${reads}`),
  },
  'each account has its own callback secret': { secretOf: () => 'secret of first' },

  'each field of a chat must have an allowed value': overlooks(CHAT, ({ messages }) =>
    JSON.stringify(messages ?? []).includes('"content":1'),
  ),
  'an invalid chat request costs nothing, plain or streamed': chargesRefusals(CHAT, [422]),
  'a chat above the balance is 402 and costs nothing': onStatus(CHAT, 402, { status: 403 }),

  'a plain answer is JSON with its request, model, text and finish_reason': onPlain({
    request_id: 7,
  }),
  'usage counts whole tokens, and cost_rub and cost_coins are the same number': onPlain({
    cost_coins: 0,
  }),

  'a stream is events of one line of data each, the last one [DONE]': {
    event: (data) => (data === '[DONE]' ? '' : 'event: chunk\n') + RULES.event(data),
  },
  'each chunk has id, object, model and one choice': onChunk((chunk) => ({
    ...chunk,
    object: 'chat.completion',
  })),
  'text comes in deltas, before any finish_reason': onChunk(({ choices, ...chunk }) => ({
    ...chunk,
    choices: (choices as JsonObject[]).map((each) => ({ ...each, finish_reason: 'stop' })),
  })),
  'the last chunk has finish_reason, usage and cost, and no text': onChunk(
    ({ cost_coins: _, ...chunk }) => chunk,
  ),
  'usage and cost are in no chunk but the last': onChunk((chunk) =>
    deltaOf(chunk) === '' ? chunk : { ...chunk, usage: null },
  ),
  'an error in the middle of a stream is its last event, with status 200': {
    event: (data) =>
      RULES.event(data) + (data !== '[DONE]' && 'error' in data ? RULES.event('[DONE]') : ''),
  },
  'a failure before the first token is 502 or 503 with JSON, no stream': changes(
    ({ body }) => body.model === 'silent',
    { contentType: 'text/event-stream' },
  ),

  'the detail of an invalid chat request is a string, also for a stream': onStatus(CHAT, 422, {
    body: { error: 'invalid' },
  }),
  'a chat that its provider fails is 502 or 503 with a detail': onStatus(CHAT, 503, { body: {} }),

  'the estimate is deducted before the answer is complete': { hold: () => 0n },
  'the output is estimated from max_tokens': { hold: (prompt) => RULES.costOf(prompt, 64) },
  'the input is estimated from the volume of the text': {
    hold: (_prompt, tokens) => RULES.costOf(100, tokens),
  },
  'the cost is the usage at the prices of the model': {
    costOf: (prompt, tokens) => 2n * RULES.costOf(prompt, tokens),
  },
  // The cheaper chats of the limit check are charged right.
  'a plain chat is charged cost_rub': {
    charge: (cost, _held, isStreamed) => (isStreamed || cost < 5_000n ? cost : cost + FEE),
  },
  'after a streamed chat the rest of the estimate is returned': {
    charge: (cost, held, isStreamed) => (isStreamed && cost < held ? held : cost),
  },
  'a cost above the estimate is charged additionally': {
    charge: (cost, held) => (cost > held ? held : cost),
  },
  'the estimate is returned in full after 502 and 503': chargesRefusals(CHAT, [502, 503]),
  'the estimate stays charged if a stream breaks in the middle': { keptOfBroken: () => 0n },
  'every request is charged for all its messages': {
    promptTokens: (messages) => RULES.promptTokens(messages.slice(-1)),
  },

  'a creation answers 200 with an integer task_id': onStatus(IMAGE, 200, { status: 201 }),
  'a task is charged a fixed price at its creation': { price: (price, id) => price + BigInt(id) },
  'a poll answers 200 with a known status, result_urls and error': onView('generating', {
    result_urls: [],
  }),
  'a task that succeeded has links and no error': onView('success', { error: { code: 1 } }),
  'the links lead to a file of the kind that was ordered': {
    file: (bytes) => (isPicture(bytes) ? Buffer.from('<!doctype html>') : bytes),
  },
  'the links are permanent': {
    file: (bytes, ageMs) => (ageMs > 5_000 ? Buffer.concat([bytes, bytes]) : bytes),
  },
  'a task that has ended does not change': {
    view: (view, { callbackUrl }, sinceEndMs) =>
      sinceEndMs > 5_000 && !callbackUrl ? { ...view, status: 'generating' } : view,
  },
  'a task that failed has code and message, and no links': onView('fail', { error: 'refused' }),
  'the price of a failed task is refunded': { refund: () => 0n },
  'a creation is 502 or 503 while the provider is away, and costs nothing': changes(
    ({ path }) => path.startsWith('/sounds/'),
    { status: 500 },
  ),
  'a task is not shown to another account': { isShownTo: () => true },

  'each field of a video must have an allowed value': overlooks(
    VIDEO,
    ({ quality, duration }) => quality === '480p' && duration === undefined,
  ),
  '1080p is not available with 10 seconds': overlooks(VIDEO, ({ duration }) => duration === 10),
  'an invalid video request costs nothing, and its detail is a list': chargesRefusals(VIDEO, [422]),
  'a video with a prompt of 5000 characters is created and charged': {
    price: (price) => (price === 4_000_000n ? 0n : price),
  },
  'the result of a video is found by polling': {
    file: (bytes) => (isPicture(bytes) ? bytes : Buffer.from('<!doctype html>')),
  },

  'a callback URL must be public, http or https, of 500 characters at most': {
    overlooks: ({ headers }) => headers['x-callback-url']?.includes('10.0.0.1') === true,
  },
  'a callback is a POST of JSON': { callback: (parts) => ({ ...parts, method: 'PUT' }) },
  'X-Callback-Timestamp is the time of the attempt in Unix seconds': {
    callback: (parts) => ({ ...parts, timestamp: '1800000000000' }),
  },
  'every attempt is signed with the secret over the timestamp and the body': {
    callback: (parts) => ({ ...parts, secret: 'secret of other' }),
  },
  'a callback has all its fields, and the task and links of a poll': {
    callback: ({ body, ...parts }) => ({ ...parts, body: { ...body, timestamp: 1.5 } }),
  },
  'any 2xx ends the attempts': { isTaken: (status) => status === 204 },
  'a refused callback is sent three times, at 0, 5 and 15 seconds': { attemptsMs: [0, 5_000] },
  'an answer to a callback is awaited for about 10 seconds': { readMs: 3_000 },
  'a failed task is reported with its code and error text': {
    sendsCallback: ({ path, fails }) => path !== VIDEO && !fails,
  },
  'a video sends no callback': { sendsCallback: () => true },

  '30 chats a minute are answered, the 31st is 429': limits(CHAT, 29),
  'a chat that is refused with 429 costs nothing': chargesRefusals(CHAT, [429]),
  '10 callback secrets a minute are answered, the 11th is 429': limits(SECRET, 9),
  '3 videos a minute are created, the fourth is 429': limits(VIDEO, 2),
  'a task is polled once in 3 seconds, a second poll is 429': { pollMs: 0 },
  'a minute after the limit was reached, chats are answered again': { limitMs: 90_000 },
}

function changes(isIt: (asked: Asked, reply: Reply) => boolean, change: Partial<Reply>): Wrong {
  return { answer: (asked, reply) => (isIt(asked, reply) ? { ...reply, ...change } : reply) }
}

function onStatus(path: string, status: number, change: Partial<Reply>): Wrong {
  return changes((asked, reply) => asked.path === path && reply.status === status, change)
}

/** Changes fields of the answer to a plain chat. */
function onPlain(change: JsonObject): Wrong {
  return {
    answer: ({ path }, reply) =>
      path === CHAT && reply.status === 200 && reply.body
        ? { ...reply, body: { ...reply.body, ...change } }
        : reply,
  }
}

/** Changes the chunks of a stream. */
function onChunk(change: (chunk: JsonObject) => JsonObject): Wrong {
  return {
    event: (data) => RULES.event(data === '[DONE]' || 'error' in data ? data : change(data)),
  }
}

/** Changes what a poll shows in a status. */
function onView(status: string, change: JsonObject): Wrong {
  return { view: (view) => (view.status === status ? { ...view, ...change } : view) }
}

function overlooks(path: string, isIt: (body: JsonObject) => boolean): Wrong {
  return {
    overlooks: (asked) => asked.account !== undefined && asked.path === path && isIt(asked.body),
  }
}

function chargesRefusals(path: string, statuses: number[]): Wrong {
  return {
    chargeOfRefusal: (asked, status) => (asked === path && statuses.includes(status) ? FEE : 0n),
  }
}

function limits(path: string, max: number): Wrong {
  return { limits: { ...RULES.limits, [path]: max } }
}

function isPicture(bytes: Buffer): boolean {
  return bytes[0] === 0x89
}
