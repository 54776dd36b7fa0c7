import type { Stats, StatsReader } from '../../admin/stats.ts'
import type { Command, CommandDefinition } from '../command.ts'

const MINUTE_MS = 60_000
const ERRORS_MAX = 10

interface StatsDeps {
  stats: StatsReader
  now: () => Promise<Date>
}

/** Shows the figures of all processes: users, turns, orders, errors, queues. */
export const statsCommand: CommandDefinition<StatsDeps> = {
  name: 'stats',
  audience: 'viewers',
  async handle({ stats, now }, command) {
    const [read, at] = await Promise.all([stats.read(), now()])
    await command.answer(describe(read, at, command.t))
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
