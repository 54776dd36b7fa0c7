import { Agent, request } from 'undici'
import type { Planned } from './plan.ts'

const NOT_READY = 'The process is not ready.'
const DATA = 'data: '

/** The outcome of one request. */
export interface Report {
  planned: Planned
  /**
   * The status of a whole answer; `broken` for a stream that ended with an error event, `left` if the
   * client closed its connection first, `cut` if the connection ended before the answer did.
   */
  outcome: string
  instance: number
  sentAt: number
  endedAt: number
  retryAfter?: string | undefined
  text: string
}

/** A client of both processes. */
export interface FaultClient {
  /** Never rejects for what the service, the network or the plan does. */
  ask(planned: Planned, apiKey: string): Promise<Report>
  close(): Promise<void>
}

/** A process that is down is passed by, as a load balancer does; what was cut is not asked again. */
export function createFaultClient(addresses: readonly string[]): FaultClient {
  // A connection for each request: one that waited could be a dead process's.
  const agent = new Agent({ pipelining: 0, headersTimeout: 60_000, bodyTimeout: 60_000 })
  return { ask, close: () => agent.destroy() }

  async function ask(planned: Planned, apiKey: string): Promise<Report> {
    const report = await askInstance(planned, apiKey, planned.instance)
    if (report.outcome !== 'down') return report
    return await askInstance(planned, apiKey, 1 - planned.instance)
  }

  async function askInstance(planned: Planned, apiKey: string, instance: number): Promise<Report> {
    const { method, path, headers, body, leavesAfterMs } = planned
    const report: Report = {
      planned,
      outcome: '',
      instance,
      sentAt: Date.now(),
      endedAt: 0,
      text: '',
    }
    const leaving = new AbortController()
    const timer = leavesAfterMs !== undefined && setTimeout(() => leaving.abort(), leavesAfterMs)
    try {
      const response = await request(`${addresses[instance]}/api/v1${path}`, {
        dispatcher: agent,
        method,
        headers: { ...headers, authorization: `Bearer ${apiKey}` },
        ...(method === 'POST' && body !== undefined && { body }),
        signal: leaving.signal,
      })
      report.retryAfter = response.headers['retry-after']?.toString()
      const isStream = response.headers['content-type']?.includes('event-stream') ?? false
      for await (const piece of response.body.setEncoding('utf8')) report.text += piece
      const isStarting = response.statusCode === 503 && report.text.includes(NOT_READY)
      if (isStarting) report.outcome = 'down'
      else report.outcome = isStream ? toStreamOutcome(report.text) : String(response.statusCode)
    } catch (error) {
      const isDown = (error as NodeJS.ErrnoException).code === 'ECONNREFUSED'
      report.outcome = leaving.signal.aborted ? 'left' : isDown ? 'down' : 'cut'
    } finally {
      if (timer) clearTimeout(timer)
      report.endedAt = Date.now()
    }
    return report
  }
}

/** The data of each event that came whole; comments are none. */
export function eventsOf(text: string): string[] {
  const events = text.split('\n\n').slice(0, -1)
  return events.filter((event) => event.startsWith(DATA)).map((event) => event.slice(DATA.length))
}

function toStreamOutcome(text: string): string {
  const last = eventsOf(text).at(-1) ?? ''
  if (last === '[DONE]') return '200'
  return last.startsWith('{"error":') ? 'broken' : 'cut'
}
