/**
 * A service as its customer sees it: requests within the limits of the interface, and the balance around them.
 *
 * In: where the service is, its keys, a clock, `fetch` and what fails there on purpose. Out: answers and observations
 * that the checks compare with the interface document.
 */
import {
  type ModelInfo,
  readBalance,
  readCost,
  readModels,
  readTaskId,
  readUsage,
  type Usage,
} from '../../src/contract/client/read-answers.ts'
import { isJsonObject, type JsonObject, parseJson } from '../../src/platform/http/json.ts'
import type { Arrival, Manner } from './receiver.ts'

export const CHAT = '/chats/completions'
export const VIDEO = '/videos/vidgen-generate'
export const IMAGE = '/images/imagegen-generate'
export const SECRET = '/callback/secret'

export const MAX_TOKENS = 64
const SHORT = [{ role: 'user', content: 'Say hello in one word.' }]
/** Ends like the short one, so that the earlier messages are the only difference. */
export const LONG = [
  { role: 'system', content: 'You answer in two short sentences, and never mention these words.' },
  { role: 'user', content: 'What is a kopeck, and how many of them make a rouble?' },
  ...SHORT,
]
export const CLIP = { prompt: 'A kopeck rolls down a hill', aspect_ratio: '1280:720' }
export const PICTURE = { prompt: 'A kopeck on a windowsill' }

/** The most that a run of all checks asks for and is charged. */
export const RUN_MAX = { chats: 45, completionTokens: 3_000, images: 9, videos: 5 }

const MINUTE_MS = 60_000
/** The interface allows one poll of a task in 3 s. */
const POLL_MS = 3_000
/** Added to waits, so that an earlier request is surely older than the span. */
const MARGIN_MS = 200
const ANSWER_MS_MAX = 180_000
const RETRIES_MAX = 5
const RETRY_AFTER_S = 20
/** Videos take 5 to 15 minutes. */
const TASK_MS_MAX = 25 * MINUTE_MS
const SETTLE_MS_MAX = 15_000
const LOOK_MS = 250
const KOPECK = 10_000n

/** Requests that fail on purpose; each is known for our own service only. */
export interface Faults {
  /** Chat models: refused by the provider, unavailable, broken in the middle, without a first token, longer than held. */
  refused: string
  unavailable: string
  broken: string
  silent: string
  longer: string
  /** A prompt of a picture that ends in `fail`. */
  failedPrompt: string
  /** A creation endpoint whose provider is away. */
  awayPath: string
}

export interface Target {
  baseUrl: string
  apiKey: string
  /** A key whose requests count towards the limits of the interface. */
  limitedKey: string
  /** A key of another account. */
  otherKey?: string | undefined
  /** Requests a minute that `apiKey` may make, by path. */
  perMinute: Readonly<Record<string, number>>
  faults?: Faults | undefined
  fetch: typeof fetch
  clock: { now(): number; sleep(ms: number): Promise<void> }
  receiver?:
    | { url: string; arrivals: readonly Arrival[]; secondsNow(): number; start(): Promise<unknown> }
    | undefined
}

export interface Answer {
  status: number
  contentType: string
  text: string
  /** Undefined if the text is no JSON. */
  json: unknown
  /** The JSON object; empty if there is none. */
  body: JsonObject
}

export interface AskOptions {
  body?: unknown
  /** `undefined` for the customer's own, `null` for none. */
  key?: string | null | undefined
  headers?: Record<string, string>
  /** False if the request is to go out at once, and a 429 is the answer. */
  isPaced?: boolean
  /** Called with the text so far after each piece; the next piece is read afterwards. */
  onText?: (text: string) => Promise<void>
}

/** A chat that may be charged, with the balance around it. */
export interface ChargedChat {
  answer: Answer
  events: Events
  before: bigint
  /** The balance between the first delta and the end; undefined if there was no such moment. */
  during: bigint | undefined
  after: bigint
  /** The object with usage and cost: the body, or the last chunk. */
  final: JsonObject
  usage: Usage | undefined
  costMicroRub: bigint | undefined
}

/** Thrown by a check that cannot see its rule at this service. */
export class NotSeenError extends Error {}

/** @throws {NotSeenError} */
export function notSeen(why: string): never {
  throw new NotSeenError(why)
}

export type Service = ReturnType<typeof createService>

/** Creates the customer of a service. */
export function createService(target: Target) {
  const { baseUrl, apiKey, perMinute, clock } = target
  const sentAt = new Map<string, number[]>()
  let models: ModelInfo[] | undefined
  return {
    target,
    ask,
    chat,
    balance,
    balanceWhen,
    chargedChat,
    model,
    create,
    poll,
    pollToEnd,
    quietMinute,
    faults: () => target.faults ?? notSeen('no provider fails here on purpose'),
  }

  /** Sends one request and reads the whole answer. */
  async function ask(method: 'GET' | 'POST', path: string, options: AskOptions = {}) {
    const { isPaced = true, key = apiKey } = options
    for (let retries = 0; ; retries += 1) {
      if (isPaced) await keepPace(`${key} ${path}`, path)
      const { response, answer } = await askOnce(method, path, options)
      if (!isPaced || answer.status !== 429 || retries === RETRIES_MAX) return answer
      await clock.sleep(1000 * (Number(response.headers.get('retry-after')) || RETRY_AFTER_S))
    }
  }

  async function askOnce(method: string, path: string, options: AskOptions) {
    const { body, key = apiKey, headers, onText } = options
    const name = `${key} ${path}`
    sentAt.set(name, [...(sentAt.get(name) ?? []).slice(-100), clock.now()])
    const response = await target.fetch(baseUrl + path, {
      method,
      headers: {
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    })
    const decoder = new TextDecoder()
    let text = ''
    for await (const piece of response.body ?? []) {
      text += decoder.decode(piece, { stream: true })
      await onText?.(text)
    }
    const json = parseJson(text)
    const answer: Answer = {
      status: response.status,
      contentType: response.headers.get('content-type') ?? '',
      text,
      json,
      body: isJsonObject(json) ? json : {},
    }
    return { response, answer }
  }

  /** Waits until a request keeps to the limits of the interface. */
  async function keepPace(name: string, path: string): Promise<void> {
    const isPoll = path.startsWith('/task/')
    const max = isPoll ? 1 : perMinute[path]
    const spanMs = (isPoll ? POLL_MS : MINUTE_MS) + MARGIN_MS
    if (max === undefined) return
    const oldest = (sentAt.get(name) ?? []).at(-max)
    if (oldest !== undefined) await clock.sleep(oldest + spanMs - clock.now())
  }

  /** Waits until no earlier request with this key to this path counts towards a limit. */
  async function quietMinute(key: string, path: string): Promise<void> {
    const last = sentAt.get(`${key} ${path}`)?.at(-1)
    if (last !== undefined) await clock.sleep(last + MINUTE_MS + MARGIN_MS - clock.now())
  }

  async function model(): Promise<ModelInfo> {
    models ??= readModels((await ask('GET', '/chats/models')).json) ?? []
    const price = (each: ModelInfo) => each.completionMicroRubPer1m ?? 10n ** 18n
    return (
      models.toSorted((one, other) => Number(price(one) - price(other)))[0] ??
      notSeen('the list of models has an unknown shape')
    )
  }

  /** Asks a chat that is right, but for the given fields. */
  async function chat(fields: JsonObject = {}, options: AskOptions = {}): Promise<Answer> {
    const { id } = await model()
    const body = { model: id, messages: SHORT, max_tokens: MAX_TOKENS, ...fields }
    return await ask('POST', CHAT, { ...options, body })
  }

  async function balance(): Promise<bigint> {
    const { json } = await ask('GET', '/balance')
    return readBalance(json) ?? notSeen('the balance has an unknown shape')
  }

  /** Reads the balance until it is right: a service may settle a little after its answer. */
  async function balanceWhen(isRight: (balance: bigint) => boolean): Promise<bigint> {
    const begunAt = clock.now()
    for (;;) {
      const now = await balance()
      if (isRight(now) || clock.now() - begunAt >= SETTLE_MS_MAX) return now
      await clock.sleep(LOOK_MS)
    }
  }

  /** Asks a chat and observes the balance before, during and after it. */
  async function chargedChat(fields: JsonObject = {}): Promise<ChargedChat> {
    const before = await balance()
    let during: bigint | undefined
    const answer = await chat(fields, {
      async onText(text) {
        if (during !== undefined || text.includes('[DONE]')) return
        if (readEvents(text).chunks.some((chunk) => deltaOf(chunk) !== '')) during = await balance()
      },
    })
    const events = readEvents(answer.text)
    const final = events.data.length > 0 ? (events.chunks.at(-1) ?? {}) : answer.body
    const costMicroRub = readCost(final)
    const expected = answer.status === 200 ? costMicroRub : 0n
    const after = await balanceWhen(
      (now) => expected === undefined || hasMovedBy(expected, before, now),
    )
    return {
      answer,
      events,
      before,
      during,
      after,
      final,
      usage: readUsage(final.usage),
      costMicroRub,
    }
  }

  /** Creates a task and observes the balance. */
  async function create(path: string, body: JsonObject, callbackUrl?: string) {
    const before = await balance()
    const headers = callbackUrl === undefined ? {} : { 'x-callback-url': callbackUrl }
    const answer = await ask('POST', path, { body, headers })
    if (answer.status === 404) notSeen(`there is no endpoint ${path}`)
    const taskId = answer.status < 300 ? readTaskId(answer.json) : undefined
    return { answer, taskId, before, after: await balance() }
  }

  async function poll(taskId: number | undefined): Promise<Answer> {
    return await ask('GET', `/task/${taskId}`)
  }

  /** Polls a task until it has ended. @returns All polls. */
  async function pollToEnd(taskId: number | undefined): Promise<[Answer, ...Answer[]]> {
    const begunAt = clock.now()
    const polls: [Answer, ...Answer[]] = [await poll(taskId)]
    while (!hasEnded(polls.at(-1)) && clock.now() - begunAt < TASK_MS_MAX) {
      polls.push(await poll(taskId))
    }
    return polls
  }
}

/** A stream of events, cut into its parts. */
export interface Events {
  /** The data of each event, in order. */
  data: string[]
  /** The data that are JSON objects. */
  chunks: JsonObject[]
  /** The blocks that are not one line `data: …`. */
  wrongBlocks: string[]
}

export function readEvents(text: string): Events {
  if (!/^(data|event|id|:)/.test(text)) return { data: [], chunks: [], wrongBlocks: [] }
  const blocks = text.split('\n\n')
  const rest = blocks.pop() ?? ''
  const events = blocks.filter((block) => !block.startsWith(':'))
  const data = events.flatMap((block) => block.match(/^data: ?.*$/gm) ?? [])
  const values = data.map((line) => line.replace(/^data: ?/, ''))
  const wrongBlocks = events.filter((block) => !/^data: .+$/.test(block))
  if (rest !== '') wrongBlocks.push(rest)
  return { data: values, chunks: values.map(parseJson).filter(isJsonObject), wrongBlocks }
}

/** The only choice of a chunk; empty if there is none. */
export function choiceOf(chunk: JsonObject): JsonObject {
  const choice = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined
  return isJsonObject(choice) ? choice : {}
}

/** The text that a chunk adds. */
export function deltaOf(chunk: JsonObject): string {
  const { delta } = choiceOf(chunk)
  return isJsonObject(delta) && typeof delta.content === 'string' ? delta.content : ''
}

export function hasEnded(poll: Answer | undefined): boolean {
  return poll?.body.status === 'success' || poll?.body.status === 'fail'
}

/** Checks if the balance fell by a cost; by its rounding, if the balance is shown in whole kopecks. */
export function hasMovedBy(costMicroRub: bigint, before: bigint, after: bigint): boolean {
  const difference = before - after - costMicroRub
  if (difference === 0n) return true
  const areKopecks = before % KOPECK === 0n && after % KOPECK === 0n
  return areKopecks && -KOPECK < difference && difference < KOPECK
}

/** The address of a callback that the receiver treats in this manner. */
export function callbackUrl({ target }: Service, manner: Manner): string {
  return `${target.receiver?.url ?? notSeen('callbacks need CALLBACK_URL')}/${manner}`
}
