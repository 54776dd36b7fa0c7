import { isJsonObject } from '../../../src/platform/http/json.ts'
import { signBody, type Tampering } from './sound-callbacks.ts'
import { type Asked, KEY, type Reply, SECRET } from './sound-service.ts'

const CHAT = '/chats/completions'
const VIDEO = '/videos/vidgen-generate'
const IMAGE = '/images/imagegen-generate'

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
  'video-prompt': { overlooks: { field: 'prompt', value: '' } },
  'video-duration': { overlooks: { field: 'duration', value: '5' } },
  'video-quality': { overlooks: { field: 'quality', value: '480p' } },
  'video-1080p': { overlooks: { field: 'quality', value: '1080p' } },
  'video-image': { overlooks: { field: 'image_url', value: 'here' } },
  'video-aspect-ratio': { overlooks: { field: 'aspect_ratio', value: '1:1' } },
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
  'chat-cost': { charge: (cost, what) => (what === 'chat' && cost < 50_000n ? cost + 1n : cost) },
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
  'task-charge': { charge: (cost, what) => (what === 'chat' ? cost : cost - 1n) },
  'task-fields': {
    answer: onTask('GET', ({ error, ...body }) =>
      body.status === 'waiting' ? body : { ...body, error },
    ),
  },
  'task-status': { answer: atStatus('queuing', { status: 'new' }) },
  'task-forward': { answer: atStatus('queuing', { status: 'generating' }, 'queuing') },
  'task-waiting': { answer: atStatus('waiting', { result_urls: ['http://127.0.0.1:1/'] }) },
  'task-queuing': { answer: atStatus('queuing', { result_urls: [] }) },
  'task-generating': { answer: atStatus('generating', { error: { code: 1, message: 'x' } }) },
  'task-links': { answer: atStatus('success', { result_urls: [] }) },
  'task-result': { file: () => '<!doctype html>' },
  'task-permanent': { file: (atMs) => (atMs > 15_000 ? 'another' : undefined) },
  'task-error': { answer: atStatus('success', { error: { code: 1, message: 'x' } }) },
  'task-end': { answer: atPoll(7, { result_urls: ['http://127.0.0.1:1/other'] }) },
  'task-fail': { answer: atStatus('fail', { error: 'refused' }) },
  'task-refund': { keepsPriceOfFailed: true },
  'creation-refused': { answer: refusedAs(IMAGE, isPrompt('sound-rejected'), 500) },
  'creation-refund': { keepsPrice: true },
  'callback-post': { callback: (post) => ({ ...post, method: 'PUT' }) },
  'callback-headers': {
    callback: (post) => ({ ...post, headers: { ...post.headers, 'x-callback-signature': 'abc' } }),
  },
  'callback-signature': { callback: laterSigned(`sha256=${'0'.repeat(64)}`) },
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
  'callback-any-2xx': { takenStatus: 204 },
  'callback-attempts': { attemptsAtMs: [0, 5_000] },
  'callback-redirect': { followsRedirects: true },
  'callback-read-timeout': { readMs: 3_000 },
  'callback-keeps-task': { answer: atPoll(8, { status: 'fail' }) },
  'callback-fail': { callsBackForFailed: false },
  'video-no-callback': { callsBackForClips: true },
  'limit-polls': { ignoresLimit: '/task' },
  'limit-secrets': { limits: { '/callback/secret': 5 } },
  'limit-clips': { limits: { [VIDEO]: 2 } },
  'limit-chats': { limits: { [CHAT]: 29 } },
  'limit-over': { isNeverOver: CHAT },
  'chat-429': { chargesLimited: true },
  'secret-own': { sharesSecret: true },
  'billing-hold-tokens': { holdsTokens: 1_000 },
  'billing-above-hold': { capsAtHold: true },
  'chat-502': { answer: refusedAs(CHAT, isModel('sound-refused'), 500) },
  'billing-502': { keepsEstimate: 'sound-refused' },
  'chat-503': { answer: refusedAs(CHAT, isModel('sound-unavailable'), 504) },
  'billing-503': { keepsEstimate: 'sound-unavailable' },
  'stream-error': { errorEvent: 'broken' },
  'stream-error-end': { afterError: 'data: [DONE]\n\n' },
  'billing-kept': { keptOfBroken: 0n },
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
    const isIt = asked.path === path && asked.headers.authorization === `Bearer ${KEY}`
    if (!isIt || reply.status !== 200) return reply
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

function isModel(model: string) {
  return ({ body }: Asked) => isJsonObject(body) && body.model === model
}

function isPrompt(prompt: string) {
  return ({ body }: Asked) => isJsonObject(body) && body.prompt === prompt
}

/** Another signature, from the second attempt for a task on. */
function laterSigned(signature: string): NonNullable<Tampering['callback']> {
  const seen = new Set<unknown>()
  return (post) => {
    const { task_id: id } = JSON.parse(post.body) as { task_id: number }
    if (!seen.has(id)) {
      seen.add(id)
      return post
    }
    return { ...post, headers: { ...post.headers, 'x-callback-signature': signature } }
  }
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
