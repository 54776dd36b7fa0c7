/** The live figures at the top of the overview; the page's script reads them every two seconds. */
import type { Outlook } from '../../spend/balance.ts'
import { type Html, html } from './html.ts'
import { amounts } from './layout.ts'
import type { AdminPage, Visit } from './visit.ts'

const RECENT_MS = 10_000

export async function liveFigures(visit: Visit): Promise<Html> {
  const { prisma, reports, readOutlook } = visit.page
  const held = { where: { heldMicroRub: { not: null } }, _sum: { heldMicroRub: true } } as const
  const [{ sum }, ofTurns, ofOrders, outlook] = await Promise.all([
    reports.overview({ span: 'today' }, 0),
    prisma.turn.aggregate(held),
    prisma.order.aggregate(held),
    readOutlook(),
  ])
  const heldMicroRub = (ofTurns._sum.heldMicroRub ?? 0n) + (ofOrders._sum.heldMicroRub ?? 0n)
  const figures = amounts(
    [
      [visit.t('page-today'), visit.money(sum.amountMicroRub)],
      [visit.t('page-in-progress'), visit.money(heldMicroRub)],
      [visit.t('page-left', { of: outlookSubject(outlook) }), leftText(visit, outlook)],
    ],
    'figures',
  )
  return html`<section class="card live" id="live" data-spent="${sum.amountMicroRub}">${figures}</section>`
}

/** The amount that is left, or the reason for its absence. */
export function leftText(visit: Visit, outlook: Outlook | undefined): string {
  const { balanceMicroRub } = outlook ?? {}
  if (balanceMicroRub !== undefined) return visit.money(balanceMicroRub)
  return visit.t(outlookSubject(outlook) === 'nothing' ? 'page-none-set' : 'page-unknown')
}

/** Names the source of the remaining amount: the service's account, or the limit for everybody together. */
export function outlookSubject(outlook: Pick<Outlook, 'month'> | undefined) {
  if (outlook?.month === undefined) return 'account'
  return outlook.month.limitMicroRub === undefined ? 'nothing' : 'limit'
}

/** Caches the balance briefly. Other figures do not wait for a service that is away. */
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
