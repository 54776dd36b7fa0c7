import { createHmac } from 'node:crypto'
import type { Overlooked } from './sound-refusals.ts'
import type { Asked, Reply } from './sound-service.ts'

/** Ways in which a sound service departs from the interface. */
export interface Tampering {
  prefix?: string
  /** A request that is taken although it is wrong. */
  forgives?: (asked: Asked) => boolean
  overlooks?: Overlooked
  chargesRefusals?: (asked: Asked) => boolean
  chargesLimited?: true
  /** How late the balance moves after an answer, or a failed task. */
  settlesLateMs?: number
  balance?: bigint
  answer?: (asked: Asked, reply: Reply) => Reply
  /** Changes the amount by which the balance falls. */
  charge?: (microRub: bigint, what: 'chat' | 'task') => bigint
  priceTimes?: number
  countsHistory?: false
  holds?: false
  streamType?: string
  chunk?: (chunk: Record<string, unknown> & { choices: Record<string, unknown>[] }) => object
  bytes?: (event: string) => string
  done?: string
  failsTasks?: true
  showsForeignTasks?: true
  callsBackForClips?: true
  file?: (atMs: number) => string | undefined
  ignoresLimit?: string
  /** Other limits, by path. */
  limits?: Readonly<Record<string, number>>
  /** The path of which a minute never ends. */
  isNeverOver?: string
  sharesSecret?: true
  /** The tokens that are held for, whatever was asked. */
  holdsTokens?: number
  capsAtHold?: true
  /** The model whose refused chats are charged. */
  keepsEstimate?: string
  keptOfBroken?: bigint
  errorEvent?: unknown
  afterError?: string
  keepsPrice?: true
  keepsPriceOfFailed?: true
  followsRedirects?: true
  /** The one status that counts as taken. */
  takenStatus?: number
  callsBackForFailed?: false
  callback?: (post: CallbackPost) => CallbackPost
  attemptsAtMs?: readonly number[]
  takesNoForAnAnswer?: false
  readMs?: number
}

interface CallbackPost {
  method: string
  headers: Record<string, string>
  body: string
}

interface TaskCallback {
  url: string
  urls: string[] | undefined
  endedAt: number
  attempts: number
  isOver: boolean
}

interface OpenPost {
  begunAt: number
  leaving: AbortController
}

/** The callbacks of a sound service. They are sent by `tick()`. */
export function createSoundCallbacks({
  secret,
  now,
  tampering,
}: {
  secret: string
  now: () => number
  tampering: Tampering
}) {
  const { attemptsAtMs = [0, 5_000, 15_000], readMs = 10_000 } = tampering
  const registered = new Map<number, string>()
  const callbacks = new Map<number, TaskCallback>()
  const open = new Map<number, OpenPost>()
  return {
    register: (taskId: number, url: string) => void (url !== '' && registered.set(taskId, url)),
    end,
    tick,
  }

  function end(taskId: number, urls: string[] | undefined): void {
    const url = registered.get(taskId)
    const isKept = urls === undefined && tampering.callsBackForFailed === false
    if (url === undefined || isKept) return
    callbacks.set(taskId, { url, urls, endedAt: now(), attempts: 0, isOver: false })
  }

  /**
   * Gives up what has waited too long, and sends what is due. No time passes until it is answered, or has come
   * to who keeps silent.
   *
   * @param arrivals How many have come to the receiver so far.
   */
  async function tick(arrivals: () => number): Promise<void> {
    for (const { begunAt, leaving } of open.values()) if (now() - begunAt >= readMs) leaving.abort()
    await new Promise((resolve) => setImmediate(resolve))
    for (const [taskId, callback] of callbacks) {
      const dueMs = attemptsAtMs[callback.attempts]
      const isDue = dueMs !== undefined && now() - callback.endedAt >= dueMs
      if (callback.isOver || open.has(taskId) || !isDue) continue
      callback.attempts += 1
      const before = arrivals()
      const posting = post(taskId, callback)
      const isAnswered = callback.attempts > 1 || !callback.url.endsWith('/keep-silent')
      if (isAnswered) await posting
      else while (arrivals() === before) await new Promise((resolve) => setImmediate(resolve))
    }
  }

  async function post(taskId: number, callback: TaskCallback): Promise<void> {
    const leaving = new AbortController()
    open.set(taskId, { begunAt: now(), leaving })
    const body = JSON.stringify({
      task_id: taskId,
      status: callback.urls === undefined ? 'fail' : 'success',
      code: callback.urls === undefined ? 502 : 200,
      result_urls: callback.urls ?? null,
      error: callback.urls === undefined ? 'refused' : null,
      model: 'imagegen',
      timestamp: Math.floor(Date.now() / 1000),
    })
    const given = { method: 'POST', headers: signBody(secret, body), body }
    const sent = tampering.callback?.(given) ?? given
    try {
      const redirect = tampering.followsRedirects ? 'follow' : 'manual'
      const { ok, status, redirected } = await fetch(callback.url, {
        ...sent,
        redirect,
        signal: leaving.signal,
      })
      const isTaken = tampering.takenStatus === undefined ? ok : status === tampering.takenStatus
      const isAgain = tampering.takesNoForAnAnswer === false && callback.attempts === 1
      callback.isOver = isTaken && !redirected && !isAgain
    } catch {
      // Given up: the next attempt is due by time.
    } finally {
      open.delete(taskId)
    }
  }
}

/** The headers of a callback that is signed as the interface says. */
export function signBody(secret: string, body: string) {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const hex = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
  return {
    'content-type': 'application/json',
    'x-callback-timestamp': timestamp,
    'x-callback-signature': `sha256=${hex}`,
  }
}
