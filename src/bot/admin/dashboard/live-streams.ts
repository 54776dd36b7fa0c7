import type { ServerResponse } from 'node:http'
import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import type { PrismaClient } from '../../../platform/database/generated/client.ts'
import type { TroubleLog } from '../../../platform/fold-repeats.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Outlook, ServiceBalance } from '../../spend/balance.ts'
import type { Reports } from '../../spend/reports.ts'
import type { EndEvent, LiveEvent, Role } from './api.ts'
import { DashboardRefusal } from './http/refusal.ts'
import { toLeftOf, toWireMoney, toWireSpend } from './to-wire.ts'

/** An open stream: whose it is, and how it is written to. */
export interface LiveStream {
  userId: number
  role: Role
  token: string
  /** @returns Whether it took it: one that is slow gets the next figures instead. */
  write(text: string): boolean
  end(text?: string): void
}

export interface LiveStreamsDeps {
  readFigures: () => Promise<LiveEvent>
  sessions: { findOpen(tokens: readonly string[]): Promise<ReadonlySet<string>> }
  roles: { holders(): Promise<readonly { userId: number; role: Role }[]> }
  clock: Pick<Clock, 'now' | 'sleep'>
  log: TroubleLog
}

const EVERY_MS = 1000
/** A connection that says nothing for a minute is cut by proxies. */
const SILENCE_MS_MAX = 20_000
const STREAMS_MAX = 50
/** How many streams one user may have: a browser has six connections to a server. */
const STREAMS_OF_USER_MAX = 5

/**
 * Sends the open pages what changes, from one look a second that they all share: at the figures, at their
 * sessions and at the roles, so that a stream ends with its session.
 *
 * Weighed: a notification from the statement that charges. Every charge would pay for it, whether a page is open
 * or not, and the figures would be read once a second all the same.
 */
export function createLiveStreams({ readFigures, sessions, roles, clock, log }: LiveStreamsDeps) {
  const streams = new Map<LiveStream, { text: string; atMs: number }>()
  const stopping = new AbortController()
  let isWatching = false
  return { open, close, stop }

  function open(stream: LiveStream): boolean {
    const ofUser = Array.from(streams.keys()).filter(({ userId }) => userId === stream.userId)
    if (streams.size >= STREAMS_MAX || ofUser.length >= STREAMS_OF_USER_MAX) return false
    streams.set(stream, { text: '', atMs: clock.now() })
    if (!isWatching) void watch()
    return true
  }

  function close(stream: LiveStream): void {
    streams.delete(stream)
  }

  function stop(): void {
    stopping.abort()
    for (const stream of streams.keys()) end(stream)
  }

  async function watch(): Promise<void> {
    isWatching = true
    const { signal } = stopping
    while (streams.size > 0 && !signal.aborted) {
      try {
        await judge()
        if (streams.size > 0) send(await readFigures())
      } catch (error) {
        // A stream whose session cannot be judged gets nothing, either.
        log.warn({ err: error }, 'live figures not read, tried again')
      }
      keepAlive()
      // `stop()` aborts the wait.
      await clock.sleep(EVERY_MS, signal).catch(() => {})
    }
    isWatching = false
  }

  async function judge(): Promise<void> {
    const all = [...streams.keys()]
    const open = await sessions.findOpen(all.map(({ token }) => token))
    const roleOf = new Map((await roles.holders()).map(({ userId, role }) => [userId, role]))
    for (const stream of all) {
      const isSame = roleOf.get(stream.userId) === stream.role
      if (!open.has(stream.token)) end(stream, { reason: 'session_ended' })
      else if (!isSame) end(stream, { reason: 'role_changed' })
    }
  }

  function send(figures: LiveEvent): void {
    const text = toEvent('live', figures)
    for (const [stream, last] of streams) {
      if (last.text !== text && stream.write(text)) streams.set(stream, { text, atMs: clock.now() })
    }
  }

  function keepAlive(): void {
    for (const [stream, last] of streams) {
      if (clock.now() - last.atMs < SILENCE_MS_MAX) continue
      if (stream.write(': keep-alive\n\n')) last.atMs = clock.now()
    }
  }

  function end(stream: LiveStream, why?: EndEvent): void {
    streams.delete(stream)
    stream.end(why && toEvent('end', why))
  }
}

export type LiveStreams = ReturnType<typeof createLiveStreams>

const RECENT_MS = 10_000

/**
 * Makes what reads the service's balance as it was a moment ago.
 *
 * @returns Resolves with undefined where it cannot be read now: no other figure waits for it.
 */
export function createRecentBalance({
  balance,
  clock,
}: {
  balance: Pick<ServiceBalance, 'outlook'>
  clock: Pick<Clock, 'now'>
}): () => Promise<Outlook | undefined> {
  let recent: { askedMs: number; outlook: Promise<Outlook | undefined> } | undefined
  return () => {
    if (recent === undefined || clock.now() - recent.askedMs >= RECENT_MS) {
      const outlook = balance.outlook().catch(() => undefined)
      recent = { askedMs: clock.now(), outlook }
    }
    return recent.outlook
  }
}

export interface LiveFiguresDeps {
  prisma: Pick<PrismaClient, 'turn' | 'order'>
  reports: Pick<Reports, 'overview'>
  readBalance: () => Promise<Outlook | undefined>
}

const NO_NAMES = { skip: 0, take: 0 }

/** Reads what has been spent today, what is under way and what is left. */
export async function readLiveFigures({
  prisma,
  reports,
  readBalance,
}: LiveFiguresDeps): Promise<LiveEvent> {
  const held = { where: { heldMicroRub: { not: null } }, _sum: { heldMicroRub: true } } as const
  const [{ sum }, ofTurns, ofOrders, outlook] = await Promise.all([
    reports.overview({ span: 'today' }, NO_NAMES),
    prisma.turn.aggregate(held),
    prisma.order.aggregate(held),
    readBalance(),
  ])
  const balanceMicroRub = outlook?.balanceMicroRub
  return {
    today: toWireSpend(sum),
    leftOf: toLeftOf(outlook),
    balanceMicroRub: balanceMicroRub === undefined ? null : toWireMoney(balanceMicroRub),
    reservedMicroRub: toWireMoney(
      (ofTurns._sum.heldMicroRub ?? 0n) + (ofOrders._sum.heldMicroRub ?? 0n),
    ),
  }
}

function toEvent(name: string, data: LiveEvent | EndEvent): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}

/** One that has just left is noticed within this time. */
const TOO_MANY_MS = 10_000

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  // Proxies that buffer would turn a stream into one late answer.
  'x-accel-buffering': 'no',
}

/** `GET /live`: figures as they change, as a stream of events. */
export function liveRoute(
  dashboard: () => { liveStreams: Pick<LiveStreams, 'open' | 'close'> },
): FastifyPluginAsync {
  return async (app) => {
    app.get(
      '/live',
      { exposeHeadRoute: false },
      async ({ visitor }, reply): Promise<FastifyReply> => {
        const { liveStreams } = dashboard()
        const stream: LiveStream = { ...visitor, ...writerOf(reply.raw) }
        if (!liveStreams.open(stream)) {
          const retryAfterMs = TOO_MANY_MS
          throw new DashboardRefusal(429, 'Too many pages are open.', { retryAfterMs })
        }
        reply.raw.once('close', () => liveStreams.close(stream))
        reply.hijack().header('x-request-id', reply.request.id)
        for (const [name, value] of Object.entries(reply.getHeaders())) {
          if (value !== undefined) reply.raw.setHeader(name, value)
        }
        reply.raw.writeHead(200, HEADERS).flushHeaders()
        return reply
      },
    )
  }
}

function writerOf(raw: ServerResponse): Pick<LiveStream, 'write' | 'end'> {
  // A write that races the client's leaving errs; `close` follows.
  raw.on('error', () => {})
  return {
    write(text) {
      if (raw.destroyed || raw.writableNeedDrain) return false
      raw.write(text)
      return true
    },
    end: (text = '') => void raw.end(text),
  }
}
