import type { ServerResponse } from 'node:http'
import type { Outlook } from '../../spend/balance.ts'
import { type Html, html } from './html.ts'
import { type AdminPage, PageRefused, type Visit } from './visit.ts'

const EVERY_MS = 1000
/** Proxies cut a connection that is silent for a minute. */
const SILENCE_MS_MAX = 20_000
const STREAMS_MAX = 50
/** A browser has six connections to a server. */
const STREAMS_OF_USER_MAX = 5
/** A page that has just closed is noticed within this time. */
const TOO_MANY_MS = 10_000
const RECENT_MS = 10_000

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  // Proxies that buffer would turn a stream into one late answer.
  'x-accel-buffering': 'no',
}

/** The figures of this moment. */
interface Figures {
  todayMicroRub: bigint
  reservedMicroRub: bigint
  outlook: Outlook | undefined
}

/** Reads today's spending, the held amounts and the remaining money. */
export async function readFigures({ prisma, reports, readOutlook }: AdminPage): Promise<Figures> {
  const held = { where: { heldMicroRub: { not: null } }, _sum: { heldMicroRub: true } } as const
  const [{ sum }, ofTurns, ofOrders, outlook] = await Promise.all([
    reports.overview({ span: 'today' }, { skip: 0, take: 0 }),
    prisma.turn.aggregate(held),
    prisma.order.aggregate(held),
    readOutlook(),
  ])
  return {
    todayMicroRub: sum.amountMicroRub,
    reservedMicroRub: (ofTurns._sum.heldMicroRub ?? 0n) + (ofOrders._sum.heldMicroRub ?? 0n),
    outlook,
  }
}

/** Shows the figures; the page's script puts newer ones in their place. */
export function liveStrip(
  visit: Visit,
  { todayMicroRub, reservedMicroRub, outlook }: Figures,
): Html {
  const rows = [
    ['page-today', visit.money(todayMicroRub)],
    ['page-in-progress', visit.money(reservedMicroRub)],
  ] as const
  return html`<dl class="card live" id="live" data-spent="${todayMicroRub}">
    ${rows.map(([key, amount]) => html`<div><dt class="hint">${visit.t(key)}</dt><dd class="num">${amount}</dd></div>`)}
    <div><dt class="hint">${visit.t('page-left', { of: outlookSubject(outlook) })}</dt>
      <dd class="num">${leftText(visit, outlook)}</dd></div>
  </dl>`
}

/** The amount that is left, or why there is none to show. */
export function leftText(visit: Visit, outlook: Outlook | undefined): string {
  const { balanceMicroRub } = outlook ?? {}
  if (balanceMicroRub !== undefined) return visit.money(balanceMicroRub)
  return visit.t(outlookSubject(outlook) === 'nothing' ? 'page-none-set' : 'page-unknown')
}

/** Returns the whole that an amount is left of: the service's account, or the limit for everybody together. */
export function outlookSubject(outlook: Pick<Outlook, 'month'> | undefined) {
  if (outlook?.month === undefined) return 'account'
  return outlook.month.limitMicroRub === undefined ? 'nothing' : 'limit'
}

/** Makes a reader of the balance of a moment ago. No other figure waits for a service that is away. */
export function createRecentOutlook({
  balance,
  clock,
}: Pick<AdminPage, 'balance' | 'clock'>): AdminPage['readOutlook'] {
  let recent: { askedMs: number; outlook: Promise<Outlook | undefined> } | undefined
  return () => {
    if (recent === undefined || clock.now() - recent.askedMs >= RECENT_MS) {
      const outlook = balance.outlook().catch(() => undefined)
      recent = { askedMs: clock.now(), outlook }
    }
    return recent.outlook
  }
}

interface Stream {
  visit: Visit
  raw: ServerResponse
  lastText: string
  lastMs: number
}

/**
 * Sends the open pages their figures, each a line of HTML, from one reading a second that they all share. A stream ends
 * with its session, and when the role of its user changes.
 *
 * Considered: a notification from the statement that charges. Every charge would pay for it, whether a page is open or not.
 */
export class LiveStreams {
  private readonly page: AdminPage
  private readonly streams = new Set<Stream>()
  private readonly stopping = new AbortController()
  private isWatching = false

  constructor(page: AdminPage) {
    this.page = page
  }

  /** @throws {PageRefused} 429 if too many are open. */
  open(visit: Visit, raw: ServerResponse): void {
    const { userId } = visit.visitor
    const ofUser = [...this.streams].filter((stream) => stream.visit.visitor.userId === userId)
    if (this.streams.size >= STREAMS_MAX || ofUser.length >= STREAMS_OF_USER_MAX) {
      throw new PageRefused(429, 'page-busy', { retryAfterMs: TOO_MANY_MS })
    }
    const stream: Stream = { visit, raw, lastText: '', lastMs: this.page.clock.now() }
    this.streams.add(stream)
    raw.once('close', () => this.streams.delete(stream))
    // A write that races the client's leaving errs; `close` follows.
    raw.on('error', () => {})
    raw.writeHead(200, HEADERS).flushHeaders()
    if (!this.isWatching) void this.watch()
  }

  stop(): void {
    this.stopping.abort()
    for (const stream of this.streams) this.end(stream)
  }

  private async watch(): Promise<void> {
    this.isWatching = true
    const { clock, log } = this.page
    const { signal } = this.stopping
    while (this.streams.size > 0 && !signal.aborted) {
      try {
        await this.endClosed()
        if (this.streams.size > 0) this.send(await readFigures(this.page))
      } catch (error) {
        // A stream whose session cannot be judged gets nothing.
        log.warn({ err: error }, 'live figures not read, tried again')
      }
      // `stop()` aborts the wait.
      await clock.sleep(EVERY_MS, signal).catch(() => {})
    }
    this.isWatching = false
  }

  private async endClosed(): Promise<void> {
    const all = [...this.streams]
    const open = await this.page.sessions.findOpen(all.map(({ visit }) => visit.visitor.token))
    const holders = await this.page.roles.holders()
    const roleOf = new Map(holders.map(({ userId, role }) => [userId, role]))
    for (const stream of all) {
      const { token, userId, role } = stream.visit.visitor
      if (!open.has(token) || roleOf.get(userId) !== role) this.end(stream)
    }
  }

  private send(figures: Figures): void {
    const now = this.page.clock.now()
    for (const stream of this.streams) {
      const { visit, raw, lastText, lastMs } = stream
      const text = liveStrip(visit, figures).text.replaceAll('\n', ' ')
      const isNews = text !== lastText
      if (!isNews && now - lastMs < SILENCE_MS_MAX) continue
      // A stream that is slow gets the next figures.
      if (raw.destroyed || raw.writableNeedDrain) continue
      raw.write(isNews ? `${text}\n` : '\n')
      Object.assign(stream, { lastText: text, lastMs: now })
    }
  }

  private end(stream: Stream): void {
    this.streams.delete(stream)
    stream.raw.end()
  }
}
