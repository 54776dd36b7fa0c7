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

interface SoundTask {
  id: number
  polls: number
  priceMicroRub: bigint
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
const HELD = 1_000_000n
const COMPLETION_TOKENS = 5
/** A stream waits for a look at the balance, which comes at once unless its words cannot be read. */
const GATE_MS_MAX = 2_000
const TASK_STATUSES = ['waiting', 'generating']

/**
 * A small service that keeps every rule of the interface, on a port of this machine, with nothing of our own
 * service in it. What is tampered with breaks rules.
 */
export async function startSoundService(clock: () => Clock, tampering: Tampering = {}) {
  const { prefix = '/api/v1', failsTasks = false } = tampering
  let balance = 200_000_000n
  const tasks: SoundTask[] = []
  const accepted = new Map<string, number[]>()
  let onBalance = () => {}
  const callbacks = createSoundCallbacks({ secret: SECRET, now: () => clock().now(), tampering })

  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    const body = parseJson(await readText(request))
    const path = url.startsWith(prefix) ? url.slice(prefix.length) : url
    if (path.startsWith('/files/')) return void response.end(tampering.file?.() ?? 'a result')
    await answer({ method, path, headers, body }, response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { baseUrl: origin + prefix, tick: callbacks.tick, balance: () => balance }

  async function answer(asked: Asked, response: ServerResponse): Promise<void> {
    const refusal = findReason(asked)
    if (refusal !== undefined) {
      if (tampering.chargesRefusals?.(asked)) balance -= 10_000n
      return send(asked, response, refusal)
    }
    if (asked.path === '/chats/completions') return await chat(asked, response)
    send(asked, response, reply(asked))
  }

  function findReason(asked: Asked): Reply | undefined {
    const isKnown = [KEY, OTHER_KEY].some((key) => asked.headers.authorization === `Bearer ${key}`)
    if (!isKnown && !tampering.forgives?.(asked)) {
      return { status: 401, body: { detail: 'no key' } }
    }
    if (!isKnownPath(asked.path)) return { status: 404, body: { detail: 'no such path' } }
    const refusal = tampering.forgives?.(asked) ? undefined : findRefusal(asked, MODEL.id)
    return refusal ?? findLimit(asked)
  }

  function findLimit({ path }: Asked): Reply | undefined {
    const limits = new Map([
      ['/chats/completions', [30, 60_000] as const],
      ['/callback/secret', [10, 60_000] as const],
    ])
    const [max, spanMs] = limits.get(path) ?? (path.startsWith('/task/') ? [1, 3_000] : [])
    if (max === undefined || spanMs === undefined || tampering.ignoresLimit === path) return
    if (tampering.ignoresLimit === '/task' && path.startsWith('/task')) return
    const now = clock().now()
    const recent = (accepted.get(path) ?? []).filter((at) => now - at < spanMs)
    if (recent.length >= max) {
      return { status: 429, body: { detail: 'too many' }, retryAfter: spanMs / 1000 }
    }
    accepted.set(path, [...recent, now])
    return undefined
  }

  function reply(asked: Asked): Reply {
    const { path, method, body } = asked
    if (path === '/chats/models') return { status: 200, body: [MODEL] }
    if (path === '/balance') return readBalance()
    if (path === '/callback/secret') return { status: 200, body: { secret: SECRET } }
    if (path === '/prices') return { status: 200, body: { prices_rub: { imagegen: 5 } } }
    if (method === 'POST') return create(asked, body)
    return readTask(Number(path.split('/').at(-1)), asked)
  }

  function readBalance(): Reply {
    onBalance()
    return { status: 200, body: { data: { balance: Number(balance) / 1e6 } } }
  }

  function create({ path, headers }: Asked, _body: unknown): Reply {
    const priceMicroRub = path === VIDEO_PATH ? CLIP_PRICE : IMAGE_PRICE
    balance -= tampering.charge?.(priceMicroRub, 'task') ?? priceMicroRub
    const task = { id: tasks.length + 1, polls: 0, priceMicroRub, hasEnded: false }
    tasks.push(task)
    const deliversCallbacks = path !== VIDEO_PATH || tampering.callsBackForClips === true
    if (deliversCallbacks) callbacks.register(task.id, String(headers['x-callback-url'] ?? ''))
    return { status: 200, body: { task_id: task.id } }
  }

  function readTask(id: number, { headers }: Asked): Reply {
    const task = tasks.find((each) => each.id === id)
    const isForeign = headers.authorization !== `Bearer ${KEY}` && !tampering.showsForeignTasks
    if (task === undefined || isForeign) return { status: 404, body: { detail: 'no such task' } }
    const status = TASK_STATUSES[task.polls++] ?? (failsTasks ? 'fail' : 'success')
    const urls = [`${origin}/files/${id}`]
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
    if (failsTasks) balance += task.priceMicroRub
    callbacks.end(task.id, failsTasks ? undefined : urls)
  }

  async function chat(asked: Asked, response: ServerResponse): Promise<void> {
    const body = asked.body as { stream?: boolean; messages?: { content: string }[] }
    const text = (body.messages ?? []).map(({ content }) => content).join(' ')
    const prompt = tampering.countsHistory === false ? 9 : text.length
    const cached = Math.floor(prompt / 2)
    const usage = {
      prompt_tokens: prompt,
      prompt_tokens_details: { cached_tokens: cached },
      completion_tokens: COMPLETION_TOKENS,
      total_tokens: prompt + COMPLETION_TOKENS,
    }
    const price =
      ((prompt - cached) * 150 + cached * 15 + COMPLETION_TOKENS * 600) *
      (tampering.priceTimes ?? 1)
    const facts = { usage, cost_rub: price / 1e6, cost_coins: price / 1e6 }
    const cost = tampering.charge?.(BigInt(price), 'chat') ?? BigInt(price)
    if (body.stream !== true) {
      balance -= cost
      const answer = { request_id: 'r1', model: MODEL.id, content: 'Hello.', finish_reason: 'stop' }
      return send(asked, response, { status: 200, body: { ...answer, ...facts } })
    }
    await stream(response, facts, cost)
  }

  /** The estimate is held until the balance has been looked at. */
  async function stream(response: ServerResponse, facts: object, cost: bigint): Promise<void> {
    const contentType = tampering.streamType ?? 'text/event-stream'
    const head = { id: 'r2', object: 'chat.completion.chunk', model: MODEL.id }
    const write = (chunk: object) => {
      const text = `data: ${JSON.stringify(tampering.chunk?.(chunk as never) ?? chunk)}\n\n`
      response.write(tampering.bytes?.(text) ?? text)
    }
    const held = tampering.holds === false ? 0n : HELD
    balance -= held
    const looked = new Promise<void>((resolve) => {
      onBalance = resolve
      setTimeout(resolve, GATE_MS_MAX)
    })
    response.writeHead(200, { 'content-type': contentType })
    for (const content of ['A hundredth', ' of a rouble.']) {
      write({ ...head, choices: [{ index: 0, delta: { content }, finish_reason: null }] })
      await looked
    }
    balance += held - cost
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
