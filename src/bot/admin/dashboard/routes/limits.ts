import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import { type Static, Type } from 'typebox'
import {
  ALL_GROUPS,
  ALL_USERS,
  EVERYBODY,
  type HeldLimit,
  type SpentNow,
} from '../../../spend/held-limits.ts'
import type { StoredLimit } from '../../../spend/limits.ts'
import { LIMIT_PERIODS, type LimitsAnswer, type WireLimit } from '../api.ts'
import type { Dashboard } from '../dashboard.ts'
import { DashboardRefusal } from '../http/refusal.ts'
import { toWireMoney, toWireUser } from '../to-wire.ts'
import { amount, idText } from './query.ts'

const params = Type.Object({ subjectId: idText, period: Type.Enum([...LIMIT_PERIODS]) })
const body = Type.Object(
  { amountMicroRub: Type.Union([amount, Type.Null()]) },
  { additionalProperties: false },
)

const FOR_MANY = [ALL_USERS, ALL_GROUPS, EVERYBODY]

type Params = Static<typeof params>

/**
 * `GET /limits`: those for everybody, the defaults, and whose limits are their own. `PUT` and `DELETE /limits/:subjectId/:period`:
 * sets one, and takes it away.
 */
export function limitsRoute(dashboard: () => Dashboard): FastifyPluginAsync {
  return async (app) => {
    app.get('/limits', readAll)
    app.put<{ Params: Params; Body: Static<typeof body> }>(
      '/limits/:subjectId/:period',
      { schema: { params, body } },
      async ({ params, body, visitor }, reply): Promise<FastifyReply> => {
        const { amountMicroRub } = body
        await dashboard().limits.set({
          ...(await readLimitOf(params)),
          amountMicroRub: amountMicroRub === null ? null : BigInt(amountMicroRub),
          adminId: visitor.userId,
        })
        return reply.code(204).send()
      },
    )
    app.delete<{ Params: Params }>(
      '/limits/:subjectId/:period',
      { schema: { params } },
      async ({ params, visitor }, reply): Promise<FastifyReply> => {
        await dashboard().limits.clear({ ...(await readLimitOf(params)), adminId: visitor.userId })
        return reply.code(204).send()
      },
    )
  }

  async function readAll(): Promise<LimitsAnswer> {
    const { limits, users } = dashboard()
    const stored = await limits.list()
    const own = stored.filter(({ subjectId }) => !FOR_MANY.includes(subjectId))
    const nameOf = await users.names(own.flatMap(({ subjectId, setById }) => [subjectId, setById]))
    return {
      everybody: toWireLimits(await limits.ofSubject(EVERYBODY), await limits.spentNow(EVERYBODY)),
      default: defaultsOf(ALL_USERS, stored),
      groupDefault: defaultsOf(ALL_GROUPS, stored),
      own: own.map(({ subjectId, period, amountMicroRub, setById, setAt }) => ({
        subjectId: Number(subjectId),
        name: nameOf(subjectId).name,
        period,
        amountMicroRub: toAmount(amountMicroRub),
        setBy: toWireUser(nameOf(setById)),
        setAt: setAt.toISOString(),
      })),
    }
  }

  async function readLimitOf({ subjectId: id, period }: Params) {
    const subjectId = BigInt(id)
    if (!FOR_MANY.includes(subjectId) && !(await dashboard().isKnown(subjectId))) {
      throw new DashboardRefusal(404, 'The bot knows no such user or group.')
    }
    return { subjectId, period }
  }
}

function defaultsOf(subjectId: bigint, stored: readonly StoredLimit[]): LimitsAnswer['default'] {
  return LIMIT_PERIODS.map((period) => {
    const found = stored.find((one) => one.subjectId === subjectId && one.period === period)
    return { period, amountMicroRub: toAmount(found?.amountMicroRub ?? null) }
  })
}

/** Lists the limit of each period; where none holds, with the sum that would count. */
export function toWireLimits(held: readonly HeldLimit[], now: SpentNow): WireLimit[] {
  return LIMIT_PERIODS.map((period) => {
    const limit = held.find((one) => one.period === period)
    return {
      period,
      amountMicroRub: toAmount(limit?.amountMicroRub ?? null),
      origin: limit?.isOwn ? 'own' : 'default',
      spentMicroRub: toWireMoney(now.spentMicroRub[period]),
      reservedMicroRub: toWireMoney(now.reservedMicroRub),
      resetsAt: period === 'all' ? null : now.periods[period].resetsAt.toISOString(),
      isLifted: limit?.isLifted ?? false,
    }
  })
}

function toAmount(amountMicroRub: bigint | null): string | null {
  return amountMicroRub === null ? null : toWireMoney(amountMicroRub)
}
