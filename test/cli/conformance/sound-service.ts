import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { parseJson } from '../../../src/platform/http/json.ts'
import type { Clock } from '../../../src/platform/time/clock.ts'
import { createSoundCallbacks, type Tampering } from './sound-callbacks.ts'
import { findRefusal, isKnownPath, VIDEO_PATH } from './sound-refusals.ts'

export const KEY = 'kpk_sound_key'
export const OTHER_KEY = 'kpk_other_key'
export const SECRET = 'a secret of the account'

/** A request as it is judged. */
export interface Asked {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: unknown
}

/** An answer before it is written. */
export interface Reply {
  status: number
  body: unknown
  contentType?: string
  retryAfter?: number
}

/** What is made to fail, by its name here. */
export const SOUND_PROVOCATIONS = {
  refused: 'sound-refused',
  unavailable: 'sound-unavailable',
  broken: 'sound-broken',
  longer: 'sound-longer',
  failed: 'sound-failed',
  rejected: 'sound-rejected',
}

interface SoundAccount {
  balance: bigint
  secret: string
  /** When requests were taken, by path. */
  accepted: Map<string, number[]>
  onBalance: () => void
}

interface SoundChat {
  model: string
  max_tokens: number
  stream?: boolean
  messages?: { content: string }[]
}

interface SoundTask {
  id: number
  account: SoundAccount
  polls: number
  chargedMicroRub: bigint
  isClip: boolean
  fails: boolean
  hasEnded: boolean
}

const MODEL = {
  id: 'alpha',
  family: 'A',
  prompt_rub_per_1m: 150,
  cached_prompt_rub_per_1m: 15,
  completion_rub_per_1m: 600,
}
const IMAGE_PRICE = 5_000_000n
const CLIP_PRICE = 40_000_000n
const COMPLETION_TOKENS = 5
/** For requests whose own is wrong, and was taken. */
const MAX_TOKENS = 64
/** A stream waits for a look at the balance, which comes at once unless its words cannot be read. */
const GATE_MS_MAX = 2_000
const TASK_STATUSES = ['waiting', 'queuing', 'generating']
const MODELS = [MODEL.id, ...Object.values(SOUND_PROVOCATIONS)]
const PICTURE = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const CLIP = Buffer.from('0000001c6674797069736f6d', 'hex')
const LIMITS = new Map([
  ['/chats/completions', [30, 60_000] as const],
  ['/callback/secret', [10, 60_000] as const],
  [VIDEO_PATH, [3, 60_000] as const],
])

/**
 * A small service that keeps every rule of the interface, on a port of this machine, with nothing of our own
 * service in it. What is tampered with breaks rules.
 */
export async function startSoundService(clock: () => Clock, tampering: Tampering = {}) {
  const { prefix = '/api/v1', failsTasks = false } = tampering
  const accounts = new Map([
    [KEY, toAccount(SECRET, tampering.balance)],
    [OTHER_KEY, toAccount(tampering.sharesSecret ? SECRET : 'a secret of the other account')],
  ])
  const sum = () => [...accounts.values()].reduce((total, { balance }) => total + balance, 0n)
  const tasks: SoundTask[] = []
  const callbacks = createSoundCallbacks({ secret: SECRET, now: () => clock().now(), tampering })

  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    const body = parseJson(await readText(request))
    const path = url.startsWith(prefix) ? url.slice(prefix.length) : url
    if (path.startsWith('/files/'))
      return void response.end(
        tampering.file?.(clock().now()) ?? (path.endsWith('.mp4') ? CLIP : PICTURE),
      )
    await answer({ method, path, headers, body }, response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { baseUrl: origin + prefix, tick: callbacks.tick, balance: sum }

  async function answer(asked: Asked, response: ServerResponse): Promise<void> {
    const account = accounts.get(String(asked.headers.authorization).replace('Bearer ', ''))
    const refusal = findReason(asked, account)
    if (refusal !== undefined || account === undefined) {
      const isLimited = refusal?.status === 429 && tampering.chargesLimited
      const isCharged = isLimited || tampering.chargesRefusals?.(asked)
      if (account !== undefined && isCharged) account.balance -= 10_000n
      // Who is forgiven without a key reads the first account.
      return send(asked, response, refusal ?? readBalance(account))
    }
    if (asked.path === '/chats/completions') return await chat(asked, account, response)
    send(asked, response, reply(asked, account))
  }

  function findReason(asked: Asked, account: SoundAccount | undefined): Reply | undefined {
    if (account === undefined && !tampering.forgives?.(asked)) {
      return { status: 401, body: { detail: 'no key' } }
    }
    if (!isKnownPath(asked.path)) return { status: 404, body: { detail: 'no such path' } }
    const refusal = tampering.forgives?.(asked)
      ? undefined
      : findRefusal(asked, { models: MODELS, overlooks: tampering.overlooks })
    const limit = account && findLimit(asked, account)
    return limit ?? refusal
  }

  function findLimit({ path }: Asked, { accepted }: SoundAccount): Reply | undefined {
    const limit =
      LIMITS.get(path) ?? (path.startsWith('/task/') ? ([1, 3_000] as const) : undefined)
    if (limit === undefined || tampering.ignoresLimit === path) return
    if (tampering.ignoresLimit === '/task' && path.startsWith('/task')) return
    const [allowed, spanMs] = limit
    const max = tampering.limits?.[path] ?? allowed
    const now = clock().now()
    const recent = (accepted.get(path) ?? []).filter(
      (at) => now - at < spanMs || tampering.isNeverOver === path,
    )
    if (recent.length >= max) {
      return { status: 429, body: { detail: 'too many' }, retryAfter: spanMs / 1000 }
    }
    accepted.set(path, [...recent, now])
    return undefined
  }

  function reply(asked: Asked, account: SoundAccount): Reply {
    const { path, method } = asked
    if (path === '/chats/models') return { status: 200, body: [MODEL] }
    if (path === '/balance') return readBalance(account)
    if (path === '/callback/secret') return { status: 200, body: { secret: account.secret } }
    if (path === '/prices') return { status: 200, body: { prices_rub: { imagegen: 5 } } }
    if (method === 'POST') return create(asked, account)
    return readTask(Number(path.split('/').at(-1)), account)
  }

  function readBalance(account?: SoundAccount): Reply {
    account?.onBalance()
    return { status: 200, body: { data: { balance: Number(account?.balance ?? 0n) / 1e6 } } }
  }

  function create({ path, headers, body }: Asked, account: SoundAccount): Reply {
    const { prompt } = body as { prompt: string }
    if (prompt === SOUND_PROVOCATIONS.rejected) {
      if (tampering.keepsPrice) account.balance -= IMAGE_PRICE
      return { status: 502, body: { detail: 'the provider says no' } }
    }
    const priceMicroRub = path === VIDEO_PATH ? CLIP_PRICE : IMAGE_PRICE
    if (priceMicroRub > account.balance) return { status: 402, body: { detail: 'too little' } }
    const chargedMicroRub = tampering.charge?.(priceMicroRub, 'task') ?? priceMicroRub
    account.balance -= chargedMicroRub
    const task = {
      id: tasks.length + 1,
      account,
      polls: 0,
      chargedMicroRub,
      isClip: path === VIDEO_PATH,
      fails: failsTasks || prompt === SOUND_PROVOCATIONS.failed,
      hasEnded: false,
    }
    tasks.push(task)
    const deliversCallbacks = path !== VIDEO_PATH || tampering.callsBackForClips === true
    if (deliversCallbacks) callbacks.register(task.id, String(headers['x-callback-url'] ?? ''))
    return { status: 200, body: { task_id: task.id } }
  }

  function readTask(id: number, account: SoundAccount): Reply {
    const task = tasks.find((each) => each.id === id)
    const isForeign = task?.account !== account && !tampering.showsForeignTasks
    if (task === undefined || isForeign) return { status: 404, body: { detail: 'no such task' } }
    const status = TASK_STATUSES[task.polls++] ?? (task.fails ? 'fail' : 'success')
    const ending = task.isClip ? 'mp4' : 'png'
    const urls = [`${origin}/files/${id}.${ending}`]
    if (!TASK_STATUSES.includes(status)) end(task, urls)
    return {
      status: 200,
      body: {
        status,
        result_urls: status === 'success' ? urls : null,
        error: status === 'fail' ? { code: 502, message: 'refused' } : null,
      },
    }
  }

  function end(task: SoundTask, urls: string[]): void {
    if (task.hasEnded) return
    task.hasEnded = true
    if (task.fails && !tampering.keepsPriceOfFailed) move(task.account, task.chargedMicroRub)
    callbacks.end(task.id, task.fails ? undefined : urls)
  }

  /** Moves a balance now, or a little later where the service settles late. */
  function move(account: SoundAccount, microRub: bigint): void {
    const { settlesLateMs = 0 } = tampering
    const settle = () => {
      account.balance += microRub
    }
    if (settlesLateMs === 0) settle()
    else void clock().sleep(settlesLateMs).then(settle)
  }

  async function chat(asked: Asked, account: SoundAccount, response: ServerResponse) {
    const body = asked.body as SoundChat
    const { refused, unavailable, broken, longer } = SOUND_PROVOCATIONS
    const text = (body.messages ?? []).map(({ content }) => content).join(' ')
    const prompt = tampering.countsHistory === false ? 9 : text.length
    const tokens = Number(body.max_tokens) || MAX_TOKENS
    const held = BigInt(prompt * 150 + (tampering.holdsTokens ?? tokens) * 600)
    if (held > account.balance) {
      return send(asked, response, { status: 402, body: { detail: 'too little' } })
    }
    if (body.model === refused || body.model === unavailable) {
      if (tampering.keepsEstimate === body.model) account.balance -= held
      const status = body.model === refused ? 502 : 503
      return send(asked, response, { status, body: { detail: 'not by this provider' } })
    }
    const completion = body.model === longer ? tokens + 100 : COMPLETION_TOKENS
    const cached = Math.floor(prompt / 2)
    const usage = {
      prompt_tokens: prompt,
      prompt_tokens_details: { cached_tokens: cached },
      completion_tokens: completion,
      total_tokens: prompt + completion,
    }
    const price =
      ((prompt - cached) * 150 + cached * 15 + completion * 600) * (tampering.priceTimes ?? 1)
    const facts = { usage, cost_rub: price / 1e6, cost_coins: price / 1e6 }
    const charged = tampering.charge?.(BigInt(price), 'chat') ?? BigInt(price)
    if (body.stream !== true) {
      move(account, -charged)
      const answer = { request_id: 'r1', model: MODEL.id, content: 'Hello.', finish_reason: 'stop' }
      return send(asked, response, { status: 200, body: { ...answer, ...facts } })
    }
    const cost = tampering.capsAtHold && charged > held ? held : charged
    await stream(response, { facts, cost, held, account, breaks: body.model === broken })
  }

  /** The estimate is held until the balance has been looked at. */
  async function stream(
    response: ServerResponse,
    {
      facts,
      cost,
      held,
      account,
      breaks,
    }: { facts: object; cost: bigint; held: bigint; account: SoundAccount; breaks: boolean },
  ): Promise<void> {
    const contentType = tampering.streamType ?? 'text/event-stream'
    const head = { id: 'r2', object: 'chat.completion.chunk', model: MODEL.id }
    const write = (chunk: object) => {
      const text = `data: ${JSON.stringify(tampering.chunk?.(chunk as never) ?? chunk)}\n\n`
      response.write(tampering.bytes?.(text) ?? text)
    }
    const taken = tampering.holds === false ? 0n : held
    account.balance -= taken
    const looked = new Promise<void>((resolve) => {
      account.onBalance = resolve
      setTimeout(resolve, GATE_MS_MAX)
    })
    response.writeHead(200, { 'content-type': contentType })
    for (const content of ['A hundredth', ' of a rouble.']) {
      write({ ...head, choices: [{ index: 0, delta: { content }, finish_reason: null }] })
      await looked
    }
    if (breaks) {
      account.balance += tampering.keptOfBroken === undefined ? 0n : taken - tampering.keptOfBroken
      const error = tampering.errorEvent ?? { message: 'broken' }
      response.write(`data: ${JSON.stringify({ error })}\n\n`)
      return void response.end(tampering.afterError)
    }
    move(account, taken - cost)
    write({ ...head, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], ...facts })
    response.end(tampering.done ?? 'data: [DONE]\n\n')
  }

  function send(asked: Asked, response: ServerResponse, given: Reply): void {
    const sent = tampering.answer?.(asked, given) ?? given
    const { status, body, contentType = 'application/json', retryAfter } = sent
    response.writeHead(status, {
      'content-type': contentType,
      ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
    })
    response.end(JSON.stringify(body))
  }
}

function toAccount(secret: string, balance = 400_000_000n): SoundAccount {
  return { balance, secret, accepted: new Map(), onBalance: () => {} }
}
