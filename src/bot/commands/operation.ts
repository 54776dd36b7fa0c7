/** `/dashboard` and `/stats`: the page for admins and viewers, and the figures of all processes. */
import type { InlineKeyboardButton } from 'grammy/types'
import type { MenuButtons, SignInLinks } from '../admin/page/links.ts'
import type { Stats, StatsReader } from '../admin/stats.ts'
import type { Command, CommandDefinition } from './command.ts'

interface DashboardApp {
  signInLinks: Pick<SignInLinks, 'page' | 'make'>
  menus: Pick<MenuButtons, 'show'>
}

const MINUTE_MS = 60_000
const ERRORS_MAX = 10

interface StatsApp {
  stats: StatsReader
  now: () => Promise<Date>
}

/** Shows the figures of all processes: users, turns, orders, errors, queues. */
export const statsCommand: CommandDefinition<StatsApp> = {
  name: 'stats',
  audience: 'viewers',
  async handle({ stats, now }, command) {
    const [read, at] = await Promise.all([stats.read(), now()])
    await command.answer(describe(read, at, command.t))
  },
}

/** Gives an admin or a viewer a link that signs them in to the page, once. */
export const dashboardCommand: CommandDefinition<DashboardApp> = {
  name: 'dashboard',
  audience: 'viewers',
  listed: 'in_private',
  async handle({ signInLinks, menus }, { user, t, answer }) {
    const { page } = signInLinks
    // A user who became an admin before writing to the bot has no menus yet.
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

function describe(stats: Stats, now: Date, t: Command['t']): string {
  const minutesSince = (at: Date) =>
    Math.max(0, Math.floor((now.getTime() - at.getTime()) / MINUTE_MS))
  const { users, turns, orders, oldestOrderAt, errors, queues } = stats
  const none = t('stats-none')
  const list = (parts: string[]) => parts.join(', ') || none
  const ordersThat = (isEnded: boolean) =>
    list(
      orders
        .filter((one) => one.isEnded === isEnded)
        .map(({ state, count }) => t('stats-order', { state, count })),
    )
  const errorLines = errors
    .slice(0, ERRORS_MAX)
    .map(({ kind, code, count }) => t('stats-error', { kind, code, count }))
  const queueLines = queues.map(({ kind, waiting, asked, oldestAt }) =>
    t('stats-queue', {
      kind,
      waiting,
      asked,
      minutes: oldestAt === null ? 0 : minutesSince(oldestAt),
    }),
  )
  return [
    t('stats-users', users),
    t('stats-turns', { turns: list(turns.map((turn) => t('stats-turn', turn))) }),
    [
      t('stats-orders', { open: ordersThat(false), ended: ordersThat(true) }),
      ...(oldestOrderAt ? [t('stats-oldest', { minutes: minutesSince(oldestOrderAt) })] : []),
    ].join('\n'),
    [t('stats-errors'), ...(errorLines.length > 0 ? errorLines : [none])].join('\n'),
    [t('stats-queues'), ...(queueLines.length > 0 ? queueLines : [none])].join('\n'),
  ].join('\n\n')
}
