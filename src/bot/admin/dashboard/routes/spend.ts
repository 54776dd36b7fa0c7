import type { FastifyPluginAsync } from 'fastify'
import { type Static, Type } from 'typebox'
import type { OverviewAnswer, UserAnswer, UsersAnswer } from '../api.ts'
import type { Dashboard } from '../dashboard.ts'
import { DashboardRefusal } from '../http/refusal.ts'
import {
  toWireMade,
  toWireMoney,
  toWireSpend,
  toWireSpendParts,
  toWireUser,
  toWireUserSpend,
} from '../to-wire.ts'
import { toWireLimits } from './limits.ts'
import { idText, kind, model, pageText, search, span } from './query.ts'

const PAGE_SIZE = 50
const LAST_ORDERS = 20

const overviewQuery = Type.Object(
  {
    span,
    user: Type.Optional(idText),
    kind: Type.Optional(kind),
    model: Type.Optional(model),
  },
  { additionalProperties: false },
)
const listQuery = Type.Object(
  { span, search: Type.Optional(search), page: Type.Optional(pageText) },
  { additionalProperties: false },
)
const userQuery = Type.Object({ span }, { additionalProperties: false })
const params = Type.Object({ id: idText })

/** `GET /overview`: who spent what on what. */
export function overviewRoute(dashboard: () => Dashboard): FastifyPluginAsync {
  return async (app) => {
    app.get<{ Querystring: Static<typeof overviewQuery> }>(
      '/overview',
      { schema: { querystring: overviewQuery } },
      async ({ query }): Promise<OverviewAnswer> => {
        const { span, user, kind, model: item } = query
        const userId = user === undefined ? undefined : Number(user)
        const overview = await dashboard().reports.overview({ span, userId, kind, item })
        const { from = null, to, users, rest } = overview
        return {
          from: from ?? overview.byDay[0]?.day ?? null,
          to,
          ...toWireSpendParts(overview),
          topUsers: users.map(toWireUserSpend),
          rest: rest.users === 0 ? null : { ...rest, spend: toWireSpend(rest.spend) },
        }
      },
    )
  }
}

/** `GET /users`: who spent what, page by page. `GET /users/:id`: all about one of them. */
export function usersRoute(dashboard: () => Dashboard): FastifyPluginAsync {
  return async (app) => {
    app.get<{ Querystring: Static<typeof listQuery> }>(
      '/users',
      { schema: { querystring: listQuery } },
      async ({ query }): Promise<UsersAnswer> => {
        const { span, search = '', page: pageText = '0' } = query
        const page = Number(pageText)
        const asked = { span, search, skip: page * PAGE_SIZE, take: PAGE_SIZE }
        const { users, total } = await dashboard().reports.users(asked)
        return { users: users.map(toWireUserSpend), page, pageSize: PAGE_SIZE, total }
      },
    )
    app.get<{ Params: Static<typeof params>; Querystring: Static<typeof userQuery> }>(
      '/users/:id',
      { schema: { params, querystring: userQuery } },
      ({ params, query }) => readUser(Number(params.id), query.span),
    )
  }

  async function readUser(userId: number, span: UserQuery['span']): Promise<UserAnswer> {
    const { reports, limits, accessOf } = dashboard()
    const user = await reports.user(userId)
    if (user === undefined) throw new DashboardRefusal(404, 'The bot knows no such user.')
    const [overview, access, held, now, orders] = await Promise.all([
      reports.overview({ span, userId }),
      accessOf(userId),
      limits.ofSubject(userId),
      limits.spentNow(userId),
      reports.lastOrders(userId, LAST_ORDERS),
    ])
    return {
      user: toWireUser(user),
      access,
      ...toWireSpendParts(overview),
      limits: toWireLimits(held, now),
      lastOrders: orders.map(({ id, kind, item, state, amountMicroRub, createdAt }) => ({
        id: id.toString(),
        kind,
        item,
        made: toWireMade(item),
        status: state,
        createdAt: createdAt.toISOString(),
        amountMicroRub: amountMicroRub === null ? null : toWireMoney(amountMicroRub),
      })),
    }
  }
}

type UserQuery = Static<typeof userQuery>
