/** `/dashboard` and `/stats`: the page for admins and viewers, and the figures of all processes. */
import type { InlineKeyboardButton } from 'grammy/types'
import type { PrismaClient } from '../../platform/database/generated/client.ts'
import type { MenuButtons, SignInLinks } from '../admin/page/links.ts'
import type { CommandDefinition } from './command.ts'

interface DashboardApp {
  signInLinks: Pick<SignInLinks, 'page' | 'make'>
  menus: Pick<MenuButtons, 'show'>
}

interface StatsApp {
  prisma: Pick<PrismaClient, 'user' | 'turn' | 'order'>
  now: () => Promise<Date>
}

const DAY_MS = 86_400_000

export const statsCommand: CommandDefinition<StatsApp> = {
  name: 'stats',
  audience: 'viewers',
  async handle({ prisma, now }, { t, answer }) {
    const at = (await now()).getTime()
    const since = (days: number) => ({ gt: new Date(at - days * DAY_MS) })
    const count = { _count: true, orderBy: { state: 'asc' } } as const
    const isShown = { not: 'draft' } as const
    const [all, day, week, turns, open, ended] = await Promise.all([
      prisma.user.count(),
      prisma.user.count({ where: { seenAt: since(1) } }),
      prisma.user.count({ where: { seenAt: since(7) } }),
      prisma.turn.groupBy({ by: ['state'], where: { createdAt: since(1) }, ...count }),
      prisma.order.groupBy({ by: ['state'], where: { state: isShown, endedAt: null }, ...count }),
      prisma.order.groupBy({
        by: ['state'],
        where: { state: isShown, endedAt: since(1) },
        ...count,
      }),
    ])
    const list = (key: string, groups: readonly { state: string; _count: number }[]) =>
      groups.map(({ state, _count }) => t(key, { state, count: _count })).join(', ') ||
      t('stats-none')
    const paragraphs = [
      t('stats-users', { all, day, week }),
      t('stats-turns', { turns: list('stats-turn', turns) }),
      t('stats-orders', { open: list('stats-order', open), ended: list('stats-order', ended) }),
    ]
    await answer(paragraphs.join('\n\n'))
  },
}

/** Sends an admin or a viewer a link that signs them in to the page, once. */
export const dashboardCommand: CommandDefinition<DashboardApp> = {
  name: 'dashboard',
  audience: 'viewers',
  listed: 'in_private',
  async handle({ signInLinks, menus }, { user, t, answer }) {
    const { page } = signInLinks
    // A user who became an admin before writing to the bot lacks the menus.
    const { id: userId, role, languageCode } = user
    await menus.show({ userId, role, languageCode })
    const link = await signInLinks.make(userId)
    if (page.opensIn === 'here') return answer(t('dashboard-here', { link }))
    if (page.opensIn === 'browser') return answer(t('dashboard-browser', { link }))
    const buttons: InlineKeyboardButton[] = [
      { text: t('dashboard-open-telegram'), web_app: { url: page.url } },
      { text: t('dashboard-open-browser'), url: link },
    ]
    await answer(t('dashboard'), { keyboard: { inline_keyboard: buttons.map((one) => [one]) } })
  },
}
