import type { FastifyPluginAsync } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Limits } from '../../../spend/limits/limits.ts'
import type { SpentNow } from '../../../spend/limits/spent-now.ts'
import type { SpendReports } from '../../../spend/reports/spend-reports.ts'
import type { UserAnswer, UsersAnswer, WireAccess } from '../api.ts'
import { DashboardRefusal } from '../http/refusal.ts'
import {
  toWireMade,
  toWireMoney,
  toWireSpendParts,
  toWireUser,
  toWireUserSpend,
} from '../to-wire.ts'
import { toWireLimits } from './limits.ts'
import { idText, pageText, search, span } from './query.ts'

const PAGE_SIZE = 50
const LAST_ORDERS = 20

const listQuery = Type.Object(
  { span, search: Type.Optional(search), page: Type.Optional(pageText) },
  { additionalProperties: false },
)
const userQuery = Type.Object({ span }, { additionalProperties: false })
const params = Type.Object({ id: idText })

export interface UsersRooms {
  reports: Pick<SpendReports, 'users' | 'user' | 'overview' | 'lastOrders'>
  limits: Pick<Limits, 'ofSubject'>
  spentNow(userId: number): Promise<SpentNow>
  accessOf(userId: number): Promise<WireAccess>
}

/** `GET /users`: who spent what, page by page. `GET /users/:id`: all about one of them. */
export function usersRoute(rooms: () => UsersRooms): FastifyPluginAsync {
  return async (app) => {
    app.get<{ Querystring: Static<typeof listQuery> }>(
      '/users',
      { schema: { querystring: listQuery } },
      async ({ query }): Promise<UsersAnswer> => {
        const { span, search = '', page: pageText = '0' } = query
        const page = Number(pageText)
        const asked = { span, search, skip: page * PAGE_SIZE, take: PAGE_SIZE }
        const { users, total } = await rooms().reports.users(asked)
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
    const { reports, limits, spentNow, accessOf } = rooms()
    const user = await reports.user(userId)
    if (user === undefined) throw new DashboardRefusal(404, 'The bot knows no such user.')
    const [overview, access, held, now, orders] = await Promise.all([
      reports.overview({ span, userId }),
      accessOf(userId),
      limits.ofSubject(userId),
      spentNow(userId),
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
