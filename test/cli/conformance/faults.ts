import { isJsonObject } from '../../../src/platform/http/json.ts'
import { signBody, type Tampering } from './sound-callbacks.ts'
import { type Asked, type Reply, SECRET } from './sound-service.ts'

const CHAT = '/chats/completions'
const VIDEO = '/videos/vidgen-generate'

/** One fault for each rule, by the rule that it breaks. */
export const FAULTS: Readonly<Record<string, Tampering>> = {
  'base-version': { prefix: '/v1' },
  'bodies-json': { answer: on('/balance', (reply) => ({ ...reply, contentType: 'text/html' })) },
  'auth-key': { forgives: ({ path, headers }) => path === '/balance' && !headers.authorization },
  'models-prices': {
    answer: on('/chats/models', (reply) => (reply.status === 200 ? { ...reply, body: [] } : reply)),
  },
  'balance-read': { answer: growing('/balance') },
  'secret-same': { answer: secondSecret() },
  'chat-model': { forgives: field(CHAT, 'model', 'no-such-model') },
  'chat-messages': { answer: refusedAs(CHAT, field(CHAT, 'messages', 'hello'), 500) },
  'chat-message': { forgives: ({ body }) => /"content":1}/.test(JSON.stringify(body) ?? '') },
  'chat-max-tokens': { forgives: field(CHAT, 'max_tokens', 'many') },
  'chat-422': {
    chargesRefusals: ({ path, body }) =>
      path === CHAT && isJsonObject(body) && !('messages' in body),
  },
  'chat-402': { answer: refusedAs(CHAT, isDear, 403) },
  'chat-errors': {
    answer: (asked, reply) =>
      asked.path === CHAT && reply.status === 422 ? { ...reply, body: { error: 'x' } } : reply,
  },
  'video-prompt': { forgives: field(VIDEO, 'prompt', '') },
  'video-duration': { forgives: field(VIDEO, 'duration', '5') },
  'video-quality': { forgives: field(VIDEO, 'quality', '480p') },
  'video-1080p': { forgives: field(VIDEO, 'quality', '1080p') },
  'video-image': { forgives: field(VIDEO, 'image_url', 'here') },
  'video-aspect-ratio': { forgives: field(VIDEO, 'aspect_ratio', '1:1') },
  'video-422': {
    answer: (asked, reply) =>
      asked.path === VIDEO && reply.status === 422
        ? { ...reply, body: { detail: 'something is wrong' } }
        : reply,
  },
  'callback-url': { forgives: callsBackTo('ftp://') },
  'callback-names': { forgives: callsBackTo('http://private.example/') },
  'callback-public': { forgives: callsBackTo('http://169.254.169.254') },
  'chat-plain': { answer: plain(() => 'Hello.') },
  'chat-fields': { answer: plain(({ request_id: _, ...body }) => body) },
  'chat-usage': { answer: plain((body) => ({ ...body, usage: withTotal(body.usage) })) },
  'chat-cost': { charge: (cost, what) => (what === 'chat' ? cost + 1n : cost) },
  'chat-cost-coins': { answer: plain((body) => ({ ...body, cost_coins: 0 })) },
  'finish-reason': { answer: plain((body) => ({ ...body, finish_reason: '' })) },
  'billing-prices': { priceTimes: 2 },
  'billing-history': { countsHistory: false },
  'stream-type': { streamType: 'text/plain' },
  'stream-events': { bytes: (event) => event.replace('data: ', 'event: chunk\ndata: ') },
  'stream-chunks': { chunk: (chunk) => ({ ...chunk, object: 'chat.completion' }) },
  'stream-deltas': { chunk: (chunk) => ({ ...chunk, choices: chunk.choices.map(finish) }) },
  'stream-final': { chunk: ({ usage: _, ...chunk }) => chunk },
  'stream-done': { done: 'data: DONE\n\n' },
  'billing-hold': { holds: false },
  'task-unknown': { answer: refusedAs('/task/2000000011', () => true, 200) },
  'task-foreign': { showsForeignTasks: true },
  'task-created': {
    answer: onTask('POST', (body) => ({ ...body, task_id: String(body.task_id) })),
  },
  'task-charge': { charge: (cost, what) => (what === 'chat' ? cost : 0n) },
  'task-fields': { answer: onTask('GET', ({ error: _, ...body }) => body) },
  'task-status': { answer: atStatus('waiting', { status: 'new' }) },
  'task-forward': { answer: atStatus('waiting', { status: 'generating' }, 'waiting') },
  'task-links': { answer: atStatus('waiting', { result_urls: ['http://127.0.0.1:1/'] }) },
  'task-permanent': { file: () => String(performance.now()) },
  'task-error': { answer: atStatus('success', { error: { code: 1, message: 'x' } }) },
  'task-end': { answer: atPoll(4, { result_urls: ['http://127.0.0.1:1/other'] }) },
  'callback-post': { callback: (post) => ({ ...post, method: 'PUT' }) },
  'callback-headers': {
    callback: (post) => ({ ...post, headers: { ...post.headers, 'x-callback-signature': 'abc' } }),
  },
  'callback-signature': {
    callback: (post) => ({
      ...post,
      headers: { ...post.headers, 'x-callback-signature': `sha256=${'0'.repeat(64)}` },
    }),
  },
  'callback-body': {
    callback: (post) => ({ ...post, ...signed(post.body.replace('"code":200', '"code":0')) }),
  },
  'callback-task': {
    callback: (post) => ({
      ...post,
      ...signed(post.body.replace(/"task_id":\d+/, '"task_id":77')),
    }),
  },
  'callback-taken': { takesNoForAnAnswer: false },
  'callback-attempts': { attemptsAtMs: [0, 5_000] },
  'callback-read-timeout': { readMs: 3_000 },
  'callback-keeps-task': { answer: atPoll(5, { status: 'fail' }) },
  'video-no-callback': { callsBackForClips: true },
  'limit-polls': { ignoresLimit: '/task' },
  'limit-secrets': { ignoresLimit: '/callback/secret' },
  'limit-chats': { ignoresLimit: CHAT },
}

type WireAnswer = NonNullable<Tampering['answer']>
type Json = Record<string, unknown>

function on(path: string, change: (reply: Reply) => Reply): WireAnswer {
  return (asked, reply) => (asked.path === path ? change(reply) : reply)
}

/** The first one is right. */
function secondSecret(): WireAnswer {
  let count = 0
  return on('/callback/secret', (reply) =>
    reply.status === 200 && count++ > 0 ? { ...reply, body: { secret: 'another' } } : reply,
  )
}

/** The balance is a kopeck more whenever it is read after the models. */
function growing(path: string): WireAnswer {
  let extra = 0
  return (asked, reply) => {
    if (asked.path === '/chats/models') extra += 0.01
    if (asked.path !== path || reply.status !== 200) return reply
    const { data } = reply.body as { data: { balance: number } }
    return { ...reply, body: { data: { balance: data.balance + extra } } }
  }
}

function field(path: string, name: string, value: unknown) {
  return (asked: Asked) =>
    asked.path === path && isJsonObject(asked.body) && asked.body[name] === value
}

function isDear({ body }: Asked): boolean {
  return isJsonObject(body) && Number(body.max_tokens) > 100_000
}

function refusedAs(path: string, isIt: (asked: Asked) => boolean, status: number): WireAnswer {
  return (asked, reply) => (asked.path === path && isIt(asked) ? { ...reply, status } : reply)
}

function callsBackTo(url: string) {
  return ({ headers }: Asked) => String(headers['x-callback-url']).startsWith(url)
}

/** Changes the answer to a chat that is answered plain. */
function plain(change: (body: Json) => unknown): WireAnswer {
  return on(CHAT, (reply) =>
    reply.status === 200 ? { ...reply, body: change(reply.body as Json) } : reply,
  )
}

function withTotal(usage: unknown): object {
  return { ...(usage as object), total_tokens: 1 }
}

function finish(choice: Json): Json {
  return { ...choice, finish_reason: 'stop' }
}

/** Changes what a creation answers, or a poll. */
function onTask(method: 'GET' | 'POST', change: (body: Json) => unknown): WireAnswer {
  return (asked, reply) => {
    const isTask =
      asked.method === method &&
      (method === 'GET' ? asked.path.startsWith('/task/') : asked.path !== CHAT)
    return isTask && reply.status === 200 ? { ...reply, body: change(reply.body as Json) } : reply
  }
}

/** Changes the polls that show a status, and perhaps those after them. */
function atStatus(status: string, change: Json, nextStatus?: string): WireAnswer {
  return onTask('GET', (body) => {
    if (body.status === status) return { ...body, ...change }
    return body.status === 'generating' && nextStatus ? { ...body, status: nextStatus } : body
  })
}

/** Changes the answer to a task's poll of that number, and to those after it. */
function atPoll(number: number, change: Json): WireAnswer {
  const polls = new Map<string, number>()
  return (asked, reply) => {
    if (!asked.path.startsWith('/task/') || reply.status !== 200) return reply
    const count = (polls.get(asked.path) ?? 0) + 1
    polls.set(asked.path, count)
    return count < number ? reply : { ...reply, body: { ...(reply.body as Json), ...change } }
  }
}

/** Another body, with its own right signature. */
function signed(body: string) {
  return { body, headers: signBody(SECRET, body) }
}
