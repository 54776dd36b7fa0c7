/**
 * A small service that keeps every rule of the interface, in this process and in a time of its own.
 *
 * Each rule is a member of `RULES`; a wrong service replaces one. Invariant: the service as it stands passes every check.
 */
import { signCallback } from '../../src/contract/callback-signature.ts'
import { isJsonObject, type JsonObject, parseJson } from '../../src/platform/http/json.ts'
import { createReceiver } from './receiver.ts'
import { CHAT, createService, type Faults, SECRET, VIDEO } from './service.ts'

const ORIGIN = 'http://sound.example'
const SOUND = '/sounds/soundgen-generate'
const MODEL = { id: 'alpha', prompt_rub_per_1m: 150, completion_rub_per_1m: 600 }
/** Millionths of a rouble for a token. */
const PRICES = { prompt: 150n, completion: 600n }
const ANSWER_TOKENS = 5
const TASK_MS = 2_000
const DATE_S = 1_800_000_000
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const MP4 = Buffer.from('0000001c6674797069736f6d', 'hex')
const KEYS = ['first', 'limited', 'other']
const FAULTS: Faults = {
  refused: 'refused',
  unavailable: 'unavailable',
  broken: 'broken',
  silent: 'silent',
  longer: 'longer',
  failedPrompt: 'fail',
  awayPath: SOUND,
}

export interface Asked {
  method: string
  path: string
  headers: Record<string, string>
  body: JsonObject
  account: Account | undefined
}

export interface Reply {
  status: number
  body?: unknown
  contentType?: string
  bytes?: Buffer
  events?: AsyncGenerator<string>
}

interface Account {
  key: string
  balance: bigint
  secret: string
  accepted: Map<string, number[]>
}

export interface Task {
  id: number
  path: string
  account: Account
  price: bigint
  fails: boolean
  endsAt: number
  polls: number
  callbackUrl: string | undefined
}

/** How the service behaves where a rule of the interface says so. */
export const RULES = {
  prefix: '/api/v1',
  /** Changes an answer before it is sent. */
  answer: (_asked: Asked, reply: Reply): Reply => reply,
  /** Checks if an invalid or unauthorized request is served all the same. */
  overlooks: (_asked: Asked): boolean => false,
  secretOf: ({ secret }: Account, _reads: number): string => secret,
  chargeOfRefusal: (_asked: Asked, _status: number): bigint => 0n,
  promptTokens: (messages: { content: string }[]): number => countTokens(messages),
  hold: (promptTokens: number, maxTokens: number) =>
    BigInt(promptTokens) * PRICES.prompt + BigInt(Math.ceil(maxTokens)) * PRICES.completion,
  deduct: (held: bigint): bigint => held,
  costOf: (promptTokens: number, tokens: number) =>
    BigInt(promptTokens) * PRICES.prompt + BigInt(tokens) * PRICES.completion,
  /** What a chat is charged in the end. */
  charge: (cost: bigint, _held: bigint, _isStreamed: boolean): bigint => cost,
  keptAfter: (_model: string, _held: bigint): bigint => 0n,
  keptOfBroken: (held: bigint): bigint => held,
  chunk: (chunk: JsonObject, _isLast: boolean): JsonObject => chunk,
  frame: (data: string): string => `data: ${data}\n\n`,
  errorEvent: { error: { message: 'The provider broke off.' } } as JsonObject,
  afterError: '',
  limits: { [CHAT]: 30, [VIDEO]: 3, [SECRET]: 10 } as Record<string, number>,
  limitMs: 60_000,
  pollMs: 3_000,
  price: (price: bigint, _taskId: number): bigint => price,
  refund: (price: bigint): bigint => price,
  view: (view: JsonObject, _task: Task, _sinceEndMs: number): JsonObject => view,
  isShownTo: (task: Task, account: Account): boolean => task.account === account,
  file: (bytes: Buffer, _ageMs: number): Buffer => bytes,
  hasCallback: (path: string, _fails: boolean): boolean => path !== VIDEO,
  notification: (notification: JsonObject): JsonObject => notification,
  delivery: (delivery: { method: string; headers: Record<string, string>; body: Buffer }) =>
    delivery,
  attemptsMs: [0, 5_000, 15_000],
  readMs: 10_000,
  isTaken: (status: number): boolean => status >= 200 && status < 300,
  followsRedirects: false,
}
export type Rules = typeof RULES

/** Opens the customer of a sound service, or of a wrong one. */
export function openSoundService(wrong: Partial<Rules> = {}) {
  const rules: Rules = { ...RULES, ...wrong }
  const accounts: Account[] = KEYS.map((key) => ({
    key,
    balance: 200_000_000n,
    secret: `secret of ${key}`,
    accepted: new Map(),
  }))
  const tasks: Task[] = []
  const used = { chats: 0, completionTokens: 0, images: 0, videos: 0 }
  const timers: { at: number; run: () => void }[] = []
  let nowMs = 0
  let secretReads = 0
  const receiver = createReceiver(() => nowMs)
  const service = createService({
    baseUrl: ORIGIN + rules.prefix,
    apiKey: 'first',
    limitedKey: 'limited',
    otherKey: 'other',
    perMinute: { [CHAT]: 30, [VIDEO]: 3, [SECRET]: 10 },
    faults: FAULTS,
    fetch: async (url, init) => toResponse(await serve(String(url), init)),
    clock: { now: () => nowMs, sleep },
    receiver: {
      url: 'http://127.0.0.1:1/hook',
      arrivals: receiver.arrivals,
      secondsNow: () => DATE_S + nowMs / 1000,
      start: async () => {},
    },
  })
  return { service, used }

  async function sleep(ms: number): Promise<void> {
    const until = nowMs + ms
    for (;;) {
      timers.sort((one, other) => one.at - other.at)
      const [next] = timers
      if (next === undefined || next.at > until) break
      timers.shift()
      nowMs = Math.max(nowMs, next.at)
      next.run()
    }
    nowMs = Math.max(nowMs, until)
  }

  function later(ms: number, run: () => void): void {
    timers.push({ at: nowMs + ms, run })
  }

  async function serve(url: string, init: RequestInit = {}): Promise<Reply> {
    const { pathname } = new URL(url)
    if (pathname.startsWith('/files/')) return readFile(pathname)
    const headers = (init.headers ?? {}) as Record<string, string>
    const json = parseJson(String(init.body))
    const asked: Asked = {
      method: init.method ?? 'GET',
      path: pathname.slice(rules.prefix.length),
      headers,
      body: isJsonObject(json) ? json : {},
      account: accounts.find(({ key }) => headers.authorization === `Bearer ${key}`),
    }
    const reply = rules.answer(asked, answer(asked))
    if (asked.account && reply.status > 400) {
      asked.account.balance -= rules.chargeOfRefusal(asked, reply.status)
    }
    return reply
  }

  function answer(asked: Asked): Reply {
    const { path, method } = asked
    const overlooks = rules.overlooks(asked)
    const [first] = accounts
    const account = asked.account ?? (overlooks ? first : undefined)
    if (account === undefined) return { status: 401, body: { detail: 'no key' } }
    const detail = overlooks ? undefined : findFault(asked)
    if (detail !== undefined) return { status: 422, body: { detail } }
    if (isLimited(account, path)) return { status: 429, body: { detail: 'too often' } }
    if (path === CHAT) return chat(asked.body as never, account)
    if (method === 'POST') return create(asked, account)
    if (path === '/chats/models') return { status: 200, body: { models: [MODEL] } }
    if (path === '/balance') {
      return { status: 200, body: { balance_rub: Number(account.balance) / 1e6 } }
    }
    if (path === SECRET) {
      secretReads += 1
      return { status: 200, body: { secret: rules.secretOf(account, secretReads) } }
    }
    return poll(Number(path.split('/').at(-1)), account)
  }

  function isLimited({ accepted }: Account, path: string): boolean {
    const isPoll = path.startsWith('/task/')
    const max = isPoll ? 1 : rules.limits[path]
    if (max === undefined) return false
    const spanMs = isPoll ? rules.pollMs : rules.limitMs
    const recent = (accepted.get(path) ?? []).filter((at) => nowMs - at < spanMs)
    if (recent.length >= max) return true
    accepted.set(path, [...recent, nowMs])
    return false
  }

  function chat(
    body: { model: string; messages?: { content: string }[]; max_tokens?: number; stream?: true },
    account: Account,
  ): Reply {
    const { model, messages = [], max_tokens: maxTokens = 64, stream } = body
    const list = Array.isArray(messages) ? messages : []
    const promptTokens = rules.promptTokens(list)
    const held = rules.hold(countTokens(list), Number(maxTokens) || 64)
    if (held > account.balance) return { status: 402, body: { detail: 'too little' } }
    if (['refused', 'unavailable', 'silent'].includes(model)) {
      account.balance -= rules.keptAfter(model, held)
      return { status: model === 'refused' ? 502 : 503, body: { detail: 'no answer' } }
    }
    used.chats += 1
    used.completionTokens += maxTokens
    const tokens = model === 'longer' ? 200 : Math.min(ANSWER_TOKENS, maxTokens)
    const usage = {
      prompt_tokens: promptTokens,
      completion_tokens: tokens,
      total_tokens: promptTokens + tokens,
    }
    const cost = rules.costOf(promptTokens, tokens)
    const facts = { usage, cost_rub: Number(cost) / 1e6, cost_coins: Number(cost) / 1e6 }
    const charged = rules.charge(cost, held, stream === true)
    if (stream === true) {
      const deducted = rules.deduct(held)
      account.balance -= deducted
      const isBroken = model === 'broken'
      const events = streamAnswer({ isBroken, facts, account, held: deducted, charged })
      return { status: 200, events, contentType: 'text/event-stream' }
    }
    account.balance -= charged
    const answer = { request_id: 'r1', model, content: 'Hello.', finish_reason: 'stop' }
    return { status: 200, body: { ...answer, ...facts } }
  }

  async function* streamAnswer(chat: {
    isBroken: boolean
    facts: JsonObject
    account: Account
    held: bigint
    charged: bigint
  }): AsyncGenerator<string> {
    const { isBroken, facts, account, held, charged } = chat
    const head = { id: 'r2', object: 'chat.completion.chunk', model: MODEL.id }
    for (const content of ['Hel', 'lo.']) {
      const choices = [{ index: 0, delta: { content }, finish_reason: null }]
      yield rules.frame(JSON.stringify(rules.chunk({ ...head, choices }, false)))
    }
    account.balance += isBroken ? held - rules.keptOfBroken(held) : held - charged
    if (isBroken) {
      yield rules.frame(JSON.stringify(rules.errorEvent)) + rules.afterError
      return
    }
    const choices = [{ index: 0, delta: {}, finish_reason: 'stop' }]
    yield rules.frame(JSON.stringify(rules.chunk({ ...head, choices, ...facts }, true)))
    yield rules.frame('[DONE]')
  }

  function create({ path, body, headers }: Asked, account: Account): Reply {
    if (path === SOUND) return { status: 503, body: { detail: 'the provider is away' } }
    const id = tasks.length + 1
    const price = rules.price(path === VIDEO ? 4_000_000n : 5_000_000n, id)
    const fails = body.prompt === FAULTS.failedPrompt
    const callbackUrl = headers['x-callback-url']
    const endsAt = nowMs + TASK_MS
    const task: Task = { id, path, account, price, fails, endsAt, polls: 0, callbackUrl }
    account.balance -= price
    used[path === VIDEO ? 'videos' : 'images'] += 1
    tasks.push(task)
    later(TASK_MS, () => {
      if (fails) account.balance += rules.refund(price)
      const isSent = callbackUrl !== undefined && rules.hasCallback(path, fails)
      if (isSent) callBack(task, callbackUrl, 0)
    })
    return { status: 200, body: { task_id: id } }
  }

  function viewOf({ id, path, fails, endsAt }: Task): JsonObject {
    if (nowMs < endsAt) return { status: 'generating', result_urls: null, error: null }
    if (fails) return { status: 'fail', result_urls: null, error: { code: 502, message: 'no' } }
    const link = `${ORIGIN}/files/${id}.${path === VIDEO ? 'mp4' : 'png'}`
    return { status: 'success', result_urls: [link], error: null }
  }

  function poll(id: number, account: Account): Reply {
    const task = tasks.find((each) => each.id === id)
    if (task === undefined || !rules.isShownTo(task, account)) {
      return { status: 404, body: { detail: 'no such task' } }
    }
    task.polls += 1
    return { status: 200, body: rules.view(viewOf(task), task, nowMs - task.endsAt) }
  }

  function readFile(path: string): Reply {
    const { endsAt = 0 } = tasks[Number.parseInt(path.slice('/files/'.length), 10) - 1] ?? {}
    const bytes = path.endsWith('.mp4') ? MP4 : PNG
    return { status: 200, bytes: rules.file(bytes, nowMs - endsAt) }
  }

  function callBack(task: Task, url: string, attempt: number): void {
    const { status, result_urls, error } = viewOf(task)
    const body = Buffer.from(
      JSON.stringify(
        rules.notification({
          task_id: task.id,
          status,
          code: task.fails ? 502 : 200,
          result_urls,
          error: isJsonObject(error) ? error.message : null,
          model: 'brush',
          timestamp: DATE_S,
        }),
      ),
    )
    const timestamp = String(DATE_S + Math.floor(nowMs / 1000))
    const signed = signCallback({ secret: task.account.secret, timestamp, body })
    const headers = { 'content-type': 'application/json', ...signed }
    const delivery = rules.delivery({ method: 'POST', headers, body })
    const { status: answered, arrival } = receiver.receive({ ...delivery, path: url })
    if (answered === 302 && rules.followsRedirects) {
      receiver.receive({ ...delivery, path: '/hook/followed' })
    }
    const delayMs = (rules.attemptsMs[attempt + 1] ?? 0) - (rules.attemptsMs[attempt] ?? 0)
    const retry = () => {
      if (attempt + 1 < rules.attemptsMs.length) callBack(task, url, attempt + 1)
    }
    if (answered === 0) {
      later(rules.readMs, () => {
        arrival.cutAtMs = nowMs
        retry()
      })
    } else if (!rules.isTaken(answered)) later(delayMs, retry)
  }
}

function toResponse({ status, body, contentType = 'application/json', bytes, events }: Reply) {
  const encoded = events && ReadableStream.from(events).pipeThrough(new TextEncoderStream())
  const content = encoded ?? (bytes ? new Uint8Array(bytes) : JSON.stringify(body))
  return new Response(content, { status, headers: { 'content-type': contentType } })
}

function countTokens(messages: readonly { content: string }[]): number {
  return messages.reduce((sum, { content }) => sum + String(content).length, 0)
}

/** Finds why a request is invalid: a text for chats, a list for creations. */
function findFault({ path, body, headers, method }: Asked): unknown {
  if (path === CHAT) return isChat(body) ? undefined : 'invalid'
  if (method !== 'POST') return undefined
  const url = headers['x-callback-url'] ?? 'http://127.0.0.1:1/'
  const isOurs = url.startsWith('http://127.0.0.1:1/') && url.length <= 500
  if (!isOurs || (path === VIDEO && !isClip(body))) return [{ msg: 'invalid' }]
  return undefined
}

function isChat({ model, messages, max_tokens: maxTokens }: JsonObject): boolean {
  const isMessage = (each: JsonObject) =>
    typeof each.role === 'string' && typeof each.content === 'string'
  const models = [MODEL.id, ...Object.values(FAULTS)]
  const areMessages = Array.isArray(messages) && messages.every(isMessage)
  return models.includes(String(model)) && areMessages && Number.isInteger(maxTokens)
}

function isClip(body: JsonObject): boolean {
  const { prompt, duration = 5, quality = '720p', image_url: image, aspect_ratio: ratio } = body
  const isPrompt = typeof prompt === 'string' && prompt.length >= 1 && prompt.length <= 5000
  const isOffered =
    quality === '720p' ? duration === 5 || duration === 10 : quality === '1080p' && duration === 5
  const isRatio =
    ratio === undefined ? image !== undefined : ['1280:720', '720:1280'].includes(String(ratio))
  return isPrompt && isOffered && isRatio && (image === undefined || URL.canParse(String(image)))
}
