import { setTimeout as delay } from 'node:timers/promises'
import { type ClientAnswer, createClients } from '../slow/chaos/outages/clients.ts'

const PAUSE_MS = 150
/** So long all answers have to be good before it counts as served again. */
const STEADY_MS = 4_000
/** An answer of the demo takes three seconds, and twice as many among sixty others. */
const SOON_MS = 9_000

export type RequestStream = ReturnType<typeof startRequests>

/**
 * Asks both services in turns, plain and streamed, until it is stopped.
 *
 * @param addresses Their roots.
 */
export function startRequests(addresses: readonly string[], apiKey: string, model: string) {
  const services = addresses.map((address) => createClients(`${address}/api/v1`, apiKey, model))
  const answers: ClientAnswer[] = []
  /** When each that has no answer yet was sent. */
  const open = new Set<{ sentAtMs: number }>()
  const asked: Promise<void>[] = []
  const stopping = new AbortController()
  const asking = ask()
  return { answers, stop, untilSteady, lastBadAtMs, firstGoodAfterMs }

  async function ask(): Promise<void> {
    for (let index = 0; !stopping.signal.aborted; index++) {
      const service = services[index % services.length]
      if (service === undefined) return
      const request = { sentAtMs: performance.now() }
      open.add(request)
      service.ask(`request ${index}`, index % 4 < 2)
      const answer = service.answers.at(-1)?.catch(() => unanswered(request.sentAtMs))
      asked.push(
        Promise.resolve(answer).then((one) => {
          open.delete(request)
          if (one !== undefined) answers.push(one)
        }),
      )
      await delay(PAUSE_MS)
    }
  }

  /** Resolves with all answers. */
  async function stop(): Promise<ClientAnswer[]> {
    stopping.abort()
    await asking
    await Promise.all(asked)
    return answers
  }

  /** Resolves once all that is asked has been answered well for a while, or `timeoutMs` have passed. */
  async function untilSteady(sinceMs: number, timeoutMs: number): Promise<boolean> {
    for (const untilMs = performance.now() + timeoutMs; performance.now() < untilMs; ) {
      await delay(PAUSE_MS)
      const now = performance.now()
      const steadyFromMs = Math.max(sinceMs, now - STEADY_MS)
      const oldest = Math.min(now, ...Array.from(open, ({ sentAtMs }) => sentAtMs))
      const isQuick = now - oldest < SOON_MS
      const isGoodLately = answers.every((one) => one.endedAtMs < steadyFromMs || isGood(one))
      const isServed = answers.some((one) => isGood(one) && sentAt(one) > sinceMs)
      if (now - sinceMs > STEADY_MS && isServed && isQuick && isGoodLately) return true
    }
    return false
  }

  /** When the last request was sent that was refused, broke, or was answered late; undefined where each was answered well. */
  function lastBadAtMs(sinceMs: number): number | undefined {
    const isBad = (one: ClientAnswer) => !(isGood(one) && isSoon(one))
    const bad = answers.filter(
      (one) => sentAt(one) >= sinceMs - SOON_MS && one.endedAtMs >= sinceMs && isBad(one),
    )
    return bad.length === 0 ? undefined : Math.max(...bad.map(sentAt))
  }

  /** When the first request after an instant was sent that was answered well. */
  function firstGoodAfterMs(atMs: number): number | undefined {
    const good = answers.filter((one) => isGood(one) && isSoon(one) && sentAt(one) > atMs)
    return good.length === 0 ? undefined : Math.min(...good.map(sentAt))
  }
}

/** Of a service that listens no more, or broke the connection. */
function unanswered(sentAtMs: number): ClientAnswer {
  const endedAtMs = performance.now()
  return { status: 0, costRub: null, waitMs: endedAtMs - sentAtMs, endedAtMs }
}

/** True for an answer that came whole, with its cost. */
export function isGood({ status, costRub }: ClientAnswer): boolean {
  return status === 200 && costRub !== null
}

function isSoon({ waitMs }: ClientAnswer): boolean {
  return waitMs < SOON_MS
}

function sentAt({ endedAtMs, waitMs }: ClientAnswer): number {
  return endedAtMs - waitMs
}
