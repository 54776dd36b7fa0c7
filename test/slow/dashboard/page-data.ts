import type {
  BalanceAnswer,
  ChargeKind,
  CheckAnswer,
  Day,
  LimitPeriod,
  MicroRub,
  OverviewAnswer,
  ReportSpan,
  UserAnswer,
  WireAccess,
  WireAlerts,
  WireChange,
  WireLimit,
  WireSpend,
  WireUser,
} from '../../../src/bot/admin/dashboard/api.ts'
import { toWireMade } from '../../../src/bot/admin/dashboard/to-wire.ts'

const TODAY = '2026-11-22'

const NAMES = [
  ['Анна Каренина', 'anna_k'],
  ['Bob Dylan', 'bob'],
  ['Сергей Прокофьев', null],
  ['Grace Hopper', 'amazing_grace'],
  ['Мария Склодовская-Кюри', 'polonium'],
  ['Ludwig van Beethoven', null],
  ['', null],
  ['Вера Холодная', 'vera'],
] as const

const MODELS: readonly (readonly [model: string, kind: ChargeKind, weight: number])[] = [
  ['alpha-large', 'answer', 41],
  ['vidgen-720p-10s', 'video', 26],
  ['beta-mini', 'answer', 14],
  ['alpha-large', 'retry', 6],
  ['imagegen', 'image', 5],
  ['vidgen-1080p-5s', 'video', 5],
  ['gamma-reasoner-preview', 'summary', 2],
  ['soundgen', 'sound', 1],
]

const DAYS: Record<ReportSpan, number> = { today: 1, '7d': 7, '30d': 30, month: 22, all: 214 }

/** 48 users; the first spent most. */
export const USERS: readonly WireUser[] = Array.from({ length: 48 }, (_, index) => {
  const [name, username] = NAMES[index % NAMES.length] ?? ['', null]
  const isAgain = index >= NAMES.length
  const round = Math.floor(index / NAMES.length) + 1
  return {
    id: 101 + index,
    name: isAgain && name !== '' ? `${name} ${round}` : name,
    username: isAgain && username !== null ? `${username}${round}` : username,
  }
})

/** Makes up a user's spend in a span: less from one user to the next, to odd micro-roubles. */
export function spendOf(user: WireUser, span: ReportSpan): WireSpend {
  const index = USERS.indexOf(user)
  const rank = index === -1 ? USERS.length : index
  return toSpend((431_234_567n * BigInt(DAYS[span])) / BigInt((rank + 1) ** 2 * 7))
}

/** Everything that was spent in a span, or what some of it was. */
export function overviewOf(
  span: ReportSpan,
  filter: {
    user?: WireUser | undefined
    kind?: ChargeKind | undefined
    model?: string | undefined
  } = {},
): OverviewAnswer {
  const users = filter.user === undefined ? USERS : [filter.user]
  const parts = MODELS.filter(([model, kind]) => {
    return (filter.model ?? model) === model && (filter.kind ?? kind) === kind
  })
  const weight = BigInt(parts.reduce((sum, [, , share]) => sum + share, 0))
  const userSpends = users.map((user) => {
    const amount = (BigInt(spendOf(user, span).amountMicroRub) * weight) / 100n
    return { user, spend: toSpend(amount) }
  })
  const total = userSpends.reduce((sum, { spend }) => sum + BigInt(spend.amountMicroRub), 0n)
  const rest = userSpends.slice(20)
  const byDay = daysOf(span, total)
  return {
    from: byDay[0]?.day ?? null,
    to: TODAY,
    sum: toSpend(total),
    byDay,
    byKind: groupOf(parts, total, 1).map(([kind, spend]) => ({ kind: kind as ChargeKind, spend })),
    byModel: groupOf(parts, total, 0).map(([model, spend]) => {
      return { model, made: toWireMade(model), spend }
    }),
    topUsers: userSpends.slice(0, 20),
    rest: rest.length === 0 ? null : { users: rest.length, spend: toSpend(sumOf(rest)) },
  }
}

/** Makes the data of a user's page. */
export function userPageOf(
  user: WireUser,
  span: ReportSpan,
  { access, limits }: { access: WireAccess; limits: WireLimit[] },
): UserAnswer {
  const { sum, byDay, byKind, byModel } = overviewOf(span, { user })
  return { user, access, sum, byDay, byKind, byModel, limits, lastOrders: ORDERS }
}

/** A limit of a user as the page shows it. */
export function limitOf(
  period: LimitPeriod,
  amountMicroRub: MicroRub | null,
  origin: WireLimit['origin'],
): WireLimit {
  const spent = { day: '18400000', week: '112050000', month: '431234567', all: '4100200300' }
  return {
    period,
    amountMicroRub,
    origin,
    spentMicroRub: spent[period],
    reservedMicroRub: period === 'day' ? '2500000' : '0',
    resetsAt: period === 'all' ? null : '2026-11-22T21:00:00.000Z',
    isLifted: false,
  }
}

const ORDERS: UserAnswer['lastOrders'] = [
  orderOf('o3', 'video', 'vidgen-720p-10s', 'delivered', '80000000', '2026-11-22T09:12:00.000Z'),
  orderOf('o2', 'image', 'imagegen', 'generating', null, '2026-11-22T09:02:00.000Z'),
  orderOf('o1', 'sound', 'soundgen', 'failed', '0', '2026-11-20T18:30:00.000Z'),
]

export const ALERTS: WireAlerts = {
  balanceBelowMicroRub: '500000000',
  daysLeftBelow: 3,
  unusualTimes: null,
  serviceFailures: true,
  digestHour: 9,
}

export const BALANCE: BalanceAnswer = {
  leftOf: 'account',
  balanceMicroRub: '1234567890',
  dayPaceMicroRub: '96123456',
  daysLeft: 12.8,
}

export const CHECK: CheckAnswer = {
  balance: {
    from: '2026-11-21T09:00:00.000Z',
    to: '2026-11-22T09:00:00.000Z',
    movedMicroRub: '96123456',
    chargedMicroRub: '94873456',
    differenceMicroRub: '1250000',
    mayEvenOut: false,
  },
  sums: { isRight: true, differences: [], rebuildCommand: 'npm run spend -- rebuild' },
}

export const CHANGES: WireChange[] = Array.from({ length: 30 }, (_, index) => ({
  id: String(30 - index),
  at: new Date(Date.UTC(2026, 10, 22, 9, 0) - index * 7_200_000).toISOString(),
  by: { id: 1, name: 'Ада Лавлейс', username: 'ada' },
  what: ['limit_day', 'role', 'access', 'setting:alert_days_left_below'][index % 4] ?? 'role',
  subject: index % 4 === 3 ? null : (USERS[index % USERS.length] ?? null),
  before: ['50000000', null, 'requested', 'off'][index % 4] ?? null,
  after: ['none', 'viewer', 'allowed', '3'][index % 4] ?? null,
}))

function toSpend(amount: bigint): WireSpend {
  return {
    charges: Number(amount / 1_700_000n) + (amount > 0n ? 1 : 0),
    amountMicroRub: String(amount),
    estimatedMicroRub: String(amount / 61n),
    writtenOffMicroRub: String(amount / 900n),
    historyMicroRub: String((amount * 3n) / 10n),
  }
}

function daysOf(span: ReportSpan, total: bigint): OverviewAnswer['byDay'] {
  const count = DAYS[span]
  const weights = Array.from({ length: count }, (_, at) => {
    const isQuiet = at % 7 === 5
    return isQuiet ? 0n : BigInt(40 + ((at * 37) % 61) + Math.round((60 * at) / count))
  })
  const sum = weights.reduce((one, other) => one + other, 0n)
  const amounts = weights.map((weight) => (total * weight) / sum)
  const given = amounts.slice(0, -1).reduce((one, other) => one + other, 0n)
  amounts[count - 1] = total - given
  return amounts.map((amount, at) => ({
    day: dayBefore(count - 1 - at),
    amountMicroRub: String(amount),
    byKind: { answer: String(amount) },
  }))
}

function dayBefore(days: number): Day {
  return new Date(Date.parse(`${TODAY}T00:00:00Z`) - days * 86_400_000).toISOString().slice(0, 10)
}

function groupOf(parts: typeof MODELS, total: bigint, by: 0 | 1): [string, WireSpend][] {
  const weights = new Map<string, number>()
  for (const part of parts) weights.set(part[by], (weights.get(part[by]) ?? 0) + part[2])
  const sum = BigInt([...weights.values()].reduce((one, other) => one + other, 0))
  const sorted = [...weights].sort((one, other) => other[1] - one[1])
  let left = total
  return sorted.map(([name, weight], index) => {
    const amount = index === sorted.length - 1 ? left : (total * BigInt(weight)) / sum
    left -= amount
    return [name, toSpend(amount)]
  })
}

function sumOf(spends: readonly { spend: WireSpend }[]): bigint {
  return spends.reduce((sum, { spend }) => sum + BigInt(spend.amountMicroRub), 0n)
}

function orderOf(
  id: string,
  kind: ChargeKind,
  item: string,
  status: string,
  amountMicroRub: MicroRub | null,
  createdAt: string,
) {
  return { id, kind, item, made: toWireMade(item), status, amountMicroRub, createdAt }
}
