/**
 * A small service that keeps every rule of the interface, in this process and in a time of its own.
 *
 * Each rule is a member of `RULES`; a wrong service replaces one. Invariant: the service as it stands passes every check.
 */
import { signCallback } from '../../src/contract/tasks.ts'
import { isJsonObject, type JsonObject, parseJson } from '../../src/platform/http/json.ts'
import { createReceiver } from './receiver.ts'
import { CHAT, createService, type Faults, SECRET, VIDEO } from './service.ts'

const ORIGIN = 'http://sound.example'
const SOUND = '/sounds/soundgen-generate'
const MODEL = { id: 'alpha', prompt_rub_per_1m: 150, completion_rub_per_1m: 600 }
const TASK_MS = 2_000
const DATE_S = 1_800_000_000
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const MP4 = Buffer.from('0000001c6674797069736f6d', 'hex')
const FAULTS: Faults = {
  refused: 'refused',
  unavailable: 'unavailable',
  broken: 'broken',
  silent: 'silent',
  longer: 'longer',
  failedPrompt: 'fail',
  awayPath: SOUND,
}

/** One request; `account` is whose key it has. */
export interface Asked {
  method: string
  path: string
  headers: Record<string, string>
  body: JsonObject
  account: Account | undefined
}

export interface Reply {
  status: number
  body?: JsonObject
  contentType?: string
  events?: AsyncGenerator<string>
}

type Messages = readonly { content: string }[]
type Account = ReturnType<typeof openAccount>
type Task = ReturnType<typeof toTask>

/** How the service behaves where a rule of the interface says so. */
export const RULES = {
  prefix: '/api/v1',
  /** Changes an answer before it is sent. */
  answer: (_asked: Asked, reply: Reply): Reply => reply,
  /** Checks if an invalid or unauthorized request is served. */
  overlooks: (_asked: Asked): boolean => false,
  secretOf: ({ secret }: Account, _reads: number): string => secret,
  chargeOfRefusal: (_path: string, _status: number): bigint => 0n,
  promptTokens: (messages: Messages): number => countTokens(messages),
  costOf: (promptTokens: number, tokens: number) => BigInt(promptTokens * 150 + tokens * 600),
  hold: (promptTokens: number, maxTokens: number) => RULES.costOf(promptTokens, maxTokens),
  charge: (cost: bigint, _held: bigint, _isStreamed: boolean): bigint => cost,
  keptOfBroken: (held: bigint): bigint => held,
  event: (data: JsonObject | '[DONE]'): string =>
    `data: ${data === '[DONE]' ? data : JSON.stringify(data)}\n\n`,
  limits: { [CHAT]: 30, [VIDEO]: 3, [SECRET]: 10 } as Record<string, number>,
  limitMs: 60_000,
  pollMs: 3_000,
  price: (price: bigint, _taskId: number): bigint => price,
  refund: (price: bigint): bigint => price,
  view: (view: JsonObject, _task: Task, _sinceEndMs: number): JsonObject => view,
  isShownTo: (task: Task, account: Account): boolean => task.account === account,
  file: (bytes: Buffer, _ageMs: number): Buffer => bytes,
  sendsCallback: ({ path }: Task): boolean => path !== VIDEO,
  callback: (parts: { method: string; timestamp: string; secret: string; body: JsonObject }) =>
    parts,
  attemptsMs: [0, 5_000, 15_000],
  readMs: 10_000,
  isTaken: (status: number): boolean => status >= 200 && status < 300,
}
export type Rules = typeof RULES

/** Opens the customer of a sound service, or of a wrong one. */
export function openSoundService(wrong: Partial<Rules> = {}) {
  const rules: Rules = { ...RULES, ...wrong }
  const accounts = ['first', 'limited', 'other'].map(openAccount)
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
    perMinute: RULES.limits,
    faults: FAULTS,
    fetch: async (url, init = {}) => serve(new URL(String(url)).pathname, init),
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

  function serve(path: string, { method = 'GET', headers = {}, body }: RequestInit): Response {
    if (path.startsWith('/files/')) return readFile(path)
    const json = parseJson(String(body))
    const given = headers as Record<string, string>
    const asked: Asked = {
      method,
      path: path.slice(rules.prefix.length),
      headers: given,
      body: isJsonObject(json) ? json : {},
      account: accounts.find(({ key }) => given.authorization === `Bearer ${key}`),
    }
    const reply = rules.answer(asked, answer(asked))
    if (asked.account && reply.status > 400) {
      asked.account.balance -= rules.chargeOfRefusal(asked.path, reply.status)
    }
    return toResponse(reply)
  }

  function answer(asked: Asked): Reply {
    const { path, method } = asked
    const overlooks = rules.overlooks(asked)
    const account = asked.account ?? (overlooks ? accounts[0] : undefined)
    if (account === undefined) return refuse(401)
    if (!overlooks && !isValid(asked)) {
      return { status: 422, body: { detail: path === CHAT ? 'invalid' : [{ msg: 'invalid' }] } }
    }
    if (isLimited(account, path)) return refuse(429)
    if (path === CHAT) return chat(asked.body, account)
    if (method === 'POST') return create(asked, account)
    if (path === '/chats/models') return { status: 200, body: { models: [MODEL] } }
    if (path === '/balance') {
      return { status: 200, body: { balance_rub: Number(account.balance) / 1e6 } }
    }
    if (path === SECRET) {
      secretReads += 1
      return { status: 200, body: { secret: rules.secretOf(account, secretReads) } }
    }
    const task = tasks.find(({ id }) => path === `/task/${id}`)
    if (task === undefined || !rules.isShownTo(task, account)) return refuse(404)
    return { status: 200, body: rules.view(viewOf(task), task, nowMs - task.endsAt) }
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

  function chat(body: JsonObject, account: Account): Reply {
    const { model, stream } = body
    const messages = (Array.isArray(body.messages) ? body.messages : []) as Messages
    const maxTokens = Math.ceil(Number(body.max_tokens))
    const held = rules.hold(countTokens(messages), maxTokens)
    if (RULES.costOf(countTokens(messages), maxTokens) > account.balance) return refuse(402)
    if (model === 'refused') return refuse(502)
    if (model === 'unavailable' || model === 'silent') return refuse(503)
    const tokens = model === 'longer' ? 200 : Math.min(5, maxTokens)
    used.chats += 1
    used.completionTokens += maxTokens
    const promptTokens = rules.promptTokens(messages)
    const cost = rules.costOf(promptTokens, tokens)
    const usage = {
      prompt_tokens: promptTokens,
      completion_tokens: tokens,
      total_tokens: promptTokens + tokens,
    }
    const facts = { usage, cost_rub: Number(cost) / 1e6, cost_coins: Number(cost) / 1e6 }
    const charged = rules.charge(cost, held, stream === true)
    if (stream === true) {
      const events = streamAnswer({ isBroken: model === 'broken', facts, account, held, charged })
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
    account.balance -= held
    const head = { id: 'r2', object: 'chat.completion.chunk', model: MODEL.id }
    for (const content of ['Hel', 'lo.']) {
      yield rules.event({
        ...head,
        choices: [{ index: 0, delta: { content }, finish_reason: null }],
      })
    }
    account.balance += held - (isBroken ? rules.keptOfBroken(held) : charged)
    if (isBroken) {
      yield rules.event({ error: { message: 'The provider broke off.' } })
      return
    }
    const choices = [{ index: 0, delta: {}, finish_reason: 'stop' }]
    yield rules.event({ ...head, choices, ...facts })
    yield rules.event('[DONE]')
  }

  function create(asked: Asked, account: Account): Reply {
    if (asked.path === SOUND) return refuse(503)
    const task = toTask(asked, { account, id: tasks.length + 1, endsAt: nowMs + TASK_MS })
    const price = rules.price(task.path === VIDEO ? 4_000_000n : 5_000_000n, task.id)
    account.balance -= price
    used[task.path === VIDEO ? 'videos' : 'images'] += 1
    tasks.push(task)
    later(TASK_MS, () => {
      if (task.fails) account.balance += rules.refund(price)
      if (rules.sendsCallback(task)) callBack(task, 0)
    })
    return { status: 200, body: { task_id: task.id } }
  }

  function viewOf({ id, path, fails, endsAt }: Task): JsonObject {
    if (nowMs < endsAt) return { status: 'generating', result_urls: null, error: null }
    if (fails) return { status: 'fail', result_urls: null, error: { code: 502, message: 'no' } }
    const link = `${ORIGIN}/files/${id}.${path === VIDEO ? 'mp4' : 'png'}`
    return { status: 'success', result_urls: [link], error: null }
  }

  function readFile(path: string): Response {
    const { endsAt = 0 } = tasks.find(({ id }) => path.startsWith(`/files/${id}.`)) ?? {}
    const bytes = rules.file(path.endsWith('.mp4') ? MP4 : PNG, nowMs - endsAt)
    return new Response(new Uint8Array(bytes))
  }

  function callBack(task: Task, attempt: number): void {
    if (task.callbackUrl === undefined) return
    const { error, ...view } = viewOf(task)
    const { method, timestamp, secret, body } = rules.callback({
      method: 'POST',
      timestamp: String(DATE_S + Math.floor(nowMs / 1000)),
      secret: task.account.secret,
      body: {
        ...view,
        task_id: task.id,
        code: task.fails ? 502 : 200,
        error: isJsonObject(error) ? error.message : null,
        model: 'brush',
        timestamp: DATE_S,
      },
    })
    const bytes = Buffer.from(JSON.stringify(body))
    const signed = signCallback({ secret, timestamp, body: bytes })
    const headers = { 'content-type': 'application/json', ...signed }
    const delivery = { method, headers, body: bytes, path: task.callbackUrl }
    const { status, arrival } = receiver.receive(delivery)
    const [thisMs = 0, nextMs] = rules.attemptsMs.slice(attempt)
    const retry = (ms: number) => {
      if (nextMs !== undefined) later(ms, () => callBack(task, attempt + 1))
    }
    if (status === 0) {
      later(rules.readMs, () => {
        arrival.cutAtMs = nowMs
        retry(0)
      })
    } else if (!rules.isTaken(status)) retry((nextMs ?? 0) - thisMs)
  }
}

function openAccount(key: string) {
  const accepted = new Map<string, number[]>()
  return { key, balance: 200_000_000n, secret: `secret of ${key}`, accepted }
}

function toTask(
  { path, body, headers }: Asked,
  facts: { account: Account; id: number; endsAt: number },
) {
  const fails = body.prompt === FAULTS.failedPrompt
  return { ...facts, path, fails, callbackUrl: headers['x-callback-url'] }
}

function refuse(status: number): Reply {
  return { status, body: { detail: 'refused' } }
}

function toResponse({ status, body, contentType = 'application/json', events }: Reply): Response {
  const stream = events && ReadableStream.from(events).pipeThrough(new TextEncoderStream())
  const headers = { 'content-type': contentType }
  return new Response(stream ?? JSON.stringify(body), { status, headers })
}

function countTokens(messages: Messages): number {
  return messages.reduce((sum, { content }) => sum + String(content).length, 0)
}

function isValid({ path, body, headers, method }: Asked): boolean {
  if (path === CHAT) return isChat(body)
  if (method !== 'POST') return true
  const url = headers['x-callback-url'] ?? 'http://127.0.0.1:1/'
  return (
    url.startsWith('http://127.0.0.1:1/') && url.length <= 500 && (path !== VIDEO || isVideo(body))
  )
}

function isChat({ model, messages, max_tokens: maxTokens }: JsonObject): boolean {
  const isMessage = ({ role, content }: JsonObject) =>
    typeof role === 'string' && typeof content === 'string'
  const models = [MODEL.id, ...Object.values(FAULTS)]
  const areMessages = Array.isArray(messages) && messages.every(isMessage)
  return models.includes(String(model)) && areMessages && Number.isInteger(maxTokens)
}

function isVideo(body: JsonObject): boolean {
  const { prompt, duration = 5, quality = '720p', image_url: image, aspect_ratio: ratio } = body
  const isPrompt = typeof prompt === 'string' && prompt.length >= 1 && prompt.length <= 5000
  const isOffered =
    quality === '720p' ? duration === 5 || duration === 10 : quality === '1080p' && duration === 5
  const isRatio =
    ratio === undefined ? image !== undefined : ['1280:720', '720:1280'].includes(String(ratio))
  return isPrompt && isOffered && isRatio && (image === undefined || URL.canParse(String(image)))
}
