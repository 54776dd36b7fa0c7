import type { FastifyPluginAsync } from 'fastify'
import { type Static, Type } from 'typebox'
import type { SpendReports } from '../../../spend/reports/spend-reports.ts'
import type { OverviewAnswer } from '../api.ts'
import { toWireSpend, toWireSpendParts, toWireUserSpend } from '../to-wire.ts'
import { idText, kind, model, span } from './query.ts'

const querystring = Type.Object(
  {
    span,
    user: Type.Optional(idText),
    kind: Type.Optional(kind),
    model: Type.Optional(model),
  },
  { additionalProperties: false },
)

export interface OverviewRooms {
  reports: Pick<SpendReports, 'overview'>
}

/** `GET /overview`: who spent what on what. */
export function overviewRoute(rooms: () => OverviewRooms): FastifyPluginAsync {
  return async (app) => {
    app.get<{ Querystring: Static<typeof querystring> }>(
      '/overview',
      { schema: { querystring } },
      async ({ query }): Promise<OverviewAnswer> => {
        const { span, user, kind, model: item } = query
        const userId = user === undefined ? undefined : Number(user)
        const overview = await rooms().reports.overview({ span, userId, kind, item })
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
