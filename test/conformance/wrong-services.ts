import { signCallback } from '../../src/contract/callback-signature.ts'
import type { JsonObject } from '../../src/platform/http/json.ts'
import { CHAT, IMAGE, SECRET, VIDEO } from './service.ts'
import { type Asked, type Reply, RULES, type Rules } from './sound-service.ts'

type Wrong = Partial<Rules>
const FEE = 10_000n

/** One wrong service for each check, by its name. Each breaks the rule of its check and keeps all others. */
export const WRONG_SERVICES: Readonly<Record<string, Wrong>> = {
  'the base URL ends in the version': { prefix: '/v1' },
  'every endpoint refuses a request without a valid key': {
    overlooks: ({ account, path }) => account === undefined && path === '/balance',
  },
  'the video endpoint answers 401 without a valid key': onStatus(VIDEO, 401, { status: 403 }),
  'every answer is JSON': onStatus('/balance', 401, { contentType: 'text/html' }),

  'GET /chats/models lists models with the prices of input and output': changes(
    ({ path }) => path === '/chats/models',
    { body: { models: [{ id: 'alpha' }] } },
  ),
  'GET /balance answers 200, and reading changes no balance': onStatus('/balance', 200, {
    status: 201,
  }),
  'GET /callback/secret answers with the same secret each time': {
    secretOf: ({ secret }, reads) => (reads === 1 ? secret : `${secret} ${reads}`),
  },
  'each account has its own callback secret': { secretOf: () => 'secret of first' },

  'model must be the string of a known model': overlooks(CHAT, ({ model }) => model === 7),
  'messages must be a list': overlooks(CHAT, ({ messages }) => messages === 'hello'),
  'role and content of a message must be strings': overlooks(CHAT, ({ messages }) =>
    JSON.stringify(messages ?? []).includes('"content":1'),
  ),
  'max_tokens must be an integer': overlooks(CHAT, ({ max_tokens: tokens }) => tokens === 1.5),
  'system and user are roles': changes(
    ({ path, body }) => path === CHAT && (body.messages as unknown[])?.length === 2,
    { status: 422 },
  ),
  'an invalid chat request costs nothing, plain or streamed': chargesRefusals(CHAT, 422),
  'a chat above the balance is 402 and costs nothing': onStatus(CHAT, 402, { status: 403 }),

  'a plain chat is answered with one JSON body': onPlain(() => ({ contentType: 'text/plain' })),
  'a plain answer has its request, model, text and finish_reason': onPlain(
    ({ request_id: _, ...body }) => ({ body }),
  ),
  'usage counts tokens in whole numbers': onPlain((body) => ({
    body: { ...body, usage: { ...(body.usage as object), total_tokens: 1 } },
  })),
  'cost_rub and its alias cost_coins are the same number': onPlain((body) => ({
    body: { ...body, cost_coins: 0 },
  })),

  'a streamed chat is answered with text/event-stream': {
    answer: (_asked, reply) => (reply.events ? { ...reply, contentType: 'text/plain' } : reply),
  },
  'each event is one line of data and an empty line': {
    frame: (data) => (data === '[DONE]' ? '' : 'event: chunk\n') + RULES.frame(data),
  },
  'each chunk has id, object, model and one choice': {
    chunk: (chunk) => ({ ...chunk, object: 'chat.completion' }),
  },
  'text comes in deltas, before any finish_reason': {
    chunk: ({ choices, ...chunk }) => ({
      ...chunk,
      choices: (choices as JsonObject[]).map((each) => ({ ...each, finish_reason: 'stop' })),
    }),
  },
  'the last chunk has finish_reason, usage and cost, and no text': {
    chunk: ({ cost_coins: _, ...chunk }) => chunk,
  },
  'usage and cost are in no chunk but the last': {
    chunk: (chunk, isLast) => (isLast ? chunk : { ...chunk, usage: null }),
  },
  'a stream ends with data: [DONE]': {
    frame: (data) => RULES.frame(data === '[DONE]' ? 'DONE' : data),
  },
  'an error in the middle of a stream is an event, with status 200': {
    errorEvent: { error: 'The provider broke off.' },
  },
  'a stream is closed after its error event': { afterError: RULES.frame('[DONE]') },
  'a failure before the first token is 502 or 503 with JSON, no stream': changes(
    ({ body }) => body.model === 'silent',
    { contentType: 'text/event-stream' },
  ),

  'the detail of an invalid chat request is a string, also for a stream': onStatus(CHAT, 422, {
    body: { error: 'invalid' },
  }),
  'a chat that its provider rejects is 502 with a detail': onStatus(CHAT, 502, { body: {} }),
  'a chat whose provider is unavailable is 503 with a detail': onStatus(CHAT, 503, { body: {} }),

  'the estimate is deducted before the answer is complete': { deduct: () => 0n },
  'the output is estimated from max_tokens': {
    hold: (prompt, tokens) => RULES.hold(prompt, tokens > 100_000 ? tokens : 64),
  },
  'the input is estimated from the volume of the text': {
    hold: (_prompt, tokens) => RULES.hold(100, tokens),
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
  'the estimate is returned in full after 502': keepsAfter('refused'),
  'the estimate is returned in full after 503': keepsAfter('unavailable'),
  'the estimate stays charged if a stream breaks in the middle': { keptOfBroken: () => 0n },
  'every request is charged for all its messages': {
    promptTokens: (messages) => RULES.promptTokens(messages.slice(-1)),
  },

  'a creation answers 200 with an integer task_id': changes(
    ({ path }, { status }) => path === IMAGE && status === 200,
    { status: 201 },
  ),
  'a task is charged a fixed price at its creation': { price: (price, id) => price + BigInt(id) },
  'a poll answers 200 with a known status, result_urls and error': onView('generating', {
    status: 'new',
  }),
  'an open task has neither links nor an error': onView('generating', { result_urls: [] }),
  'a task that succeeded has links and no error': onView('success', { error: { code: 1 } }),
  'the links lead to a file of the kind that was ordered': {
    file: (bytes) => (isPicture(bytes) ? Buffer.from('<!doctype html>') : bytes),
  },
  'the links are permanent': {
    file: (bytes, ageMs) => (ageMs > 5_000 ? Buffer.concat([bytes, bytes]) : bytes),
  },
  'a task that has ended does not change': {
    view: (view, { polls }) => (polls === 5 ? { ...view, status: 'generating' } : view),
  },
  'a task that failed has code and message, and no links': onView('fail', { error: 'refused' }),
  'the price of a failed task is refunded': { refund: () => 0n },
  'a creation is 502 or 503 while the provider is away, and costs nothing': changes(
    ({ path }) => path.startsWith('/sounds/'),
    { status: 500 },
  ),
  'a task is not shown to another account': { isShownTo: () => true },

  'prompt must have 1 to 5000 characters': overlooks(VIDEO, ({ prompt }) => prompt === ''),
  'duration, quality and image_url must have allowed values': overlooks(
    VIDEO,
    ({ quality, duration }) => quality === '480p' && duration === undefined,
  ),
  'aspect_ratio must be allowed, and is required without image_url': overlooks(
    VIDEO,
    ({ aspect_ratio: ratio, duration }) => ratio === undefined && duration === undefined,
  ),
  '1080p is not available with 10 seconds': overlooks(VIDEO, ({ duration }) => duration === 10),
  'an invalid video request costs nothing, and its detail is a list': chargesRefusals(VIDEO, 422),
  'a video with a prompt of 5000 characters is created and charged': {
    price: (price) => (price === 4_000_000n ? 0n : price),
  },
  'the result of a video is found by polling': {
    file: (bytes) => (isPicture(bytes) ? bytes : Buffer.from('<!doctype html>')),
  },

  'a callback URL must be http or https': takesUrl((url) => url.startsWith('ftp:')),
  'a callback URL has at most 500 characters': takesUrl((url) => url.length > 500),
  'a callback URL must not lead to a private address': takesUrl((url) => url.includes('10.0.0.1')),
  'a callback is a POST of JSON': { delivery: (delivery) => ({ ...delivery, method: 'PUT' }) },
  'X-Callback-Timestamp is the time of the attempt in Unix seconds': {
    delivery: (delivery) => {
      const timestamp = '1800000000000'
      const { body } = delivery
      return {
        ...delivery,
        headers: {
          ...delivery.headers,
          ...signCallback({ secret: 'secret of first', timestamp, body }),
        },
      }
    },
  },
  'every attempt is signed with the secret over the timestamp and the body': {
    delivery: (delivery) => {
      const signature = `sha256=${'0'.repeat(64)}`
      return { ...delivery, headers: { ...delivery.headers, 'x-callback-signature': signature } }
    },
  },
  'a callback has all its fields, and the task and links of a poll': {
    notification: (body) => (body.status === 'success' ? { ...body, code: 0 } : body),
  },
  'any 2xx ends the attempts': { isTaken: (status) => status === 204 },
  'a refused callback is sent three times, at 0, 5 and 15 seconds': { attemptsMs: [0, 5_000] },
  'a redirect of a callback is not followed': { followsRedirects: true },
  'an answer to a callback is awaited for about 10 seconds': { readMs: 3_000 },
  'a task whose callback failed stays available by polling': {
    view: (view, { callbackUrl }, sinceEndMs) =>
      callbackUrl?.endsWith('/refuse') && sinceEndMs > 15_000 ? { ...view, status: 'fail' } : view,
  },
  'a failed task is reported with its code and error text': {
    hasCallback: (path, fails) => path !== VIDEO && !fails,
  },
  'a video sends no callback': { hasCallback: () => true },

  '30 chats a minute are answered, the 31st is 429': limits(CHAT, 29),
  'a chat that is refused with 429 costs nothing': chargesRefusals(CHAT, 429),
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

/** Changes the answer to a plain chat. */
function onPlain(change: (body: JsonObject) => Partial<Reply>): Wrong {
  return {
    answer: (asked, reply) => {
      const isPlain = asked.path === CHAT && reply.status === 200 && reply.events === undefined
      return isPlain ? { ...reply, ...change(reply.body as JsonObject) } : reply
    },
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

function takesUrl(isIt: (url: string) => boolean): Wrong {
  return { overlooks: ({ headers }) => isIt(headers['x-callback-url'] ?? '') }
}

function chargesRefusals(path: string, status: number): Wrong {
  return {
    chargeOfRefusal: (asked, answered) => (asked.path === path && answered === status ? FEE : 0n),
  }
}

function keepsAfter(model: string): Wrong {
  return { keptAfter: (asked, held) => (asked === model ? held : 0n) }
}

function limits(path: string, max: number): Wrong {
  return { limits: { ...RULES.limits, [path]: max } }
}

function isPicture(bytes: Buffer): boolean {
  return bytes[0] === 0x89
}
