import {
  type AccessBody,
  CHARGE_KINDS,
  type CheckAnswer,
  LIMIT_PERIODS,
  type LimitBody,
  type LimitPeriod,
  type LimitsAnswer,
  type MicroRub,
  type ReportSpan,
  type RoleBody,
  SPANS,
  type WireAccess,
  type WireAlerts,
  type WireChange,
  type WireSpend,
  type WireUser,
} from '../../../src/bot/admin/dashboard/api.ts'
import {
  ALERTS,
  BALANCE,
  CHANGES,
  CHECK,
  limitOf,
  overviewOf,
  spendOf,
  USERS,
  userPageOf,
} from './page-data.ts'

const PAGE_SIZE = 20
const AMOUNT_MAX = 10n ** 15n

/** A refusal of a route. */
export class RefusedError extends Error {
  readonly status: number
  readonly body: unknown

  constructor(status: number, body: unknown) {
    super(`Refused with ${status}`)
    this.status = status
    this.body = body
  }
}

interface Asked {
  method: string
  path: string
  query: URLSearchParams
  body: unknown
}

/** Answers every route but those of sessions and the live figures; what is changed is kept. */
export function createPageAnswers() {
  const state = {
    users: USERS as readonly WireUser[],
    isEmpty: false,
    alerts: ALERTS,
    check: CHECK as CheckAnswer,
    changes: CHANGES as readonly WireChange[],
    defaults: new Map<LimitPeriod, MicroRub | null>([['month', '1000000000']]),
    everybody: new Map<LimitPeriod, MicroRub | null>([['month', '3000000000']]),
    own: new Map<string, MicroRub | null>([
      ['101 day', '25000000'],
      ['-1001234 month', '5000000000'],
    ]),
    access: new Map<number, WireAccess>([
      [103, { role: null, isRoleFixed: false, status: 'outsider', decision: 'requested' }],
      [104, { role: 'viewer', isRoleFixed: false, status: 'insider', decision: 'allowed' }],
      [105, { role: null, isRoleFixed: false, status: 'blocked', decision: 'blocked' }],
      [106, { role: 'admin', isRoleFixed: true, status: 'insider', decision: null }],
    ]),
    stored: [] as string[],
  }
  return { state, answer, today }

  function today(): WireSpend {
    return overviewOf('today').sum
  }

  function answer(asked: Asked): { status: number; body?: unknown } | undefined {
    const [first = '', id = '', last = ''] = asked.path.slice(1).split('/')
    const answered = route(asked, first, id, last)
    if (answered?.status === 204) state.stored.push(`${asked.method} ${asked.path}`)
    return answered
  }

  function route({ method, query, body }: Asked, first: string, id: string, last: string) {
    const shape = [method, first, id === '' ? '' : '*', last === '' ? '' : '*'].join(' ').trim()
    switch (shape) {
      case 'GET overview':
        return ok(overview(query))
      case 'GET users':
        return ok(list(query, (user) => ({ user, spend: spendOf(user, spanOf(query)) })))
      case 'GET users *':
        return ok(userPageOf(userOf(id), spanOf(query), detailsOf(Number(id))))
      case 'GET limits':
        return ok(limits())
      case 'PUT limits * *':
        return setLimit(Number(id), last as LimitPeriod, body as LimitBody)
      case 'DELETE limits * *':
        state.own.delete(`${id} ${last}`)
        return done()
      case 'GET access':
        return ok(list(query, (user) => ({ ...user, access: detailsOf(user.id).access })))
      case 'PUT users * *':
        return last === 'role'
          ? setRole(Number(id), body as RoleBody)
          : setAccess(Number(id), body as AccessBody)
      case 'GET alerts':
        return ok(state.alerts)
      case 'PUT alerts':
        state.alerts = body as WireAlerts
        return done()
      case 'GET balance':
        return ok(BALANCE)
      case 'GET check':
        return ok(state.check)
      case 'GET changes':
        return ok(changes(query.get('before')))
      case 'POST downloads':
        return ok({ path: 'api/downloads/once', fileName: 'spend.csv' })
      default:
        return undefined
    }
  }

  function overview(query: URLSearchParams) {
    const kind = query.get('kind')
    if (kind !== null && !CHARGE_KINDS.some((known) => known === kind)) throw refusal(400, 'kind')
    const user = query.get('user')
    const found = overviewOf(spanOf(query), {
      user: user === null ? undefined : userOf(user),
      kind: CHARGE_KINDS.find((known) => known === kind),
      model: query.get('model') ?? undefined,
    })
    if (!state.isEmpty) return found
    const sum = overviewOf('today', { model: 'none' }).sum
    return {
      ...found,
      from: null,
      byDay: [],
      byKind: [],
      byModel: [],
      topUsers: [],
      rest: null,
      sum,
    }
  }

  function list<T>(query: URLSearchParams, toRow: (user: WireUser) => T) {
    const search = (query.get('search') ?? '').toLowerCase()
    const page = Number(query.get('page') ?? 0)
    const found = state.users.filter(({ id, name, username }) => {
      const isNamed = name.toLowerCase().includes(search)
      return isNamed || `@${username}`.includes(search) || String(id) === search
    })
    const users = found.slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE).map(toRow)
    return { users, page, pageSize: PAGE_SIZE, total: found.length }
  }

  function detailsOf(id: number) {
    const access = state.access.get(id) ?? {
      ...({ role: null, isRoleFixed: false, status: 'insider', decision: 'allowed' } as const),
    }
    const limits = LIMIT_PERIODS.map((period) => {
      const own = state.own.get(`${id} ${period}`)
      return own === undefined
        ? limitOf(period, state.defaults.get(period) ?? null, 'default')
        : limitOf(period, own, 'own')
    })
    return { access, limits }
  }

  function limits(): LimitsAnswer {
    const own = Array.from(state.own, ([key, amountMicroRub]) => {
      const [subject = '', period = 'day'] = key.split(' ')
      const name = state.users.find(({ id }) => id === Number(subject))?.name ?? 'Семья'
      return {
        subjectId: Number(subject),
        name,
        period: period as LimitPeriod,
        amountMicroRub,
        setBy: { id: 1, name: 'Ада Лавлейс', username: 'ada' },
        setAt: '2026-11-20T09:00:00.000Z',
      }
    })
    const byDefault = LIMIT_PERIODS.map((period) => {
      return { period, amountMicroRub: state.defaults.get(period) ?? null }
    })
    const groupDefault = LIMIT_PERIODS.map((period) => ({ period, amountMicroRub: null }))
    const everybody = LIMIT_PERIODS.map((period) =>
      limitOf(period, state.everybody.get(period) ?? null, 'default'),
    )
    return { everybody, default: byDefault, groupDefault, own }
  }

  function setLimit(subjectId: number, period: LimitPeriod, { amountMicroRub }: LimitBody) {
    if (!LIMIT_PERIODS.includes(period)) throw refusal(400, 'period')
    if (amountMicroRub !== null && !/^\d{1,16}$/.test(amountMicroRub)) throw refusal(400, 'amount')
    if (BigInt(amountMicroRub ?? 0) > AMOUNT_MAX) throw refusal(400, 'amount')
    if (subjectId === 0 || subjectId === -1) state.defaults.set(period, amountMicroRub)
    else if (subjectId === -2) state.everybody.set(period, amountMicroRub)
    else {
      if (subjectId > 0) userOf(String(subjectId))
      state.own.set(`${subjectId} ${period}`, amountMicroRub)
    }
    return done()
  }

  function setAccess(id: number, { decision }: AccessBody) {
    const { access } = detailsOf(id)
    if (access.role === 'admin') throw refusal(409, 'An admin cannot be blocked.')
    const status = decision === 'allowed' ? 'insider' : 'outsider'
    state.access.set(id, {
      ...access,
      decision,
      status: decision === 'blocked' ? 'blocked' : status,
    })
    return done()
  }

  function setRole(id: number, { role }: RoleBody) {
    const { access } = detailsOf(id)
    if (access.isRoleFixed) throw refusal(409, 'The role is fixed.')
    state.access.set(id, { ...access, role })
    return done()
  }

  function changes(before: string | null) {
    const left = state.changes.filter(({ id }) => before === null || Number(id) < Number(before))
    const shown = state.isEmpty ? [] : left.slice(0, PAGE_SIZE)
    const next = left.length > shown.length ? (shown.at(-1)?.id ?? null) : null
    return { changes: shown, next }
  }

  function userOf(id: string): WireUser {
    const user = state.users.find((known) => String(known.id) === id)
    if (user === undefined) throw refusal(404, 'There is no such user.')
    return user
  }
}

function spanOf(query: URLSearchParams): ReportSpan {
  const span = SPANS.find((known) => known === query.get('span'))
  if (span === undefined) throw refusal(400, 'span')
  return span
}

function ok(body: unknown) {
  return { status: 200, body }
}

function done() {
  return { status: 204 }
}

function refusal(status: number, detail: string): RefusedError {
  return new RefusedError(status, { detail })
}
