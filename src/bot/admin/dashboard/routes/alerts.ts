import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import { type Static, type TSchema, Type } from 'typebox'
import type { AlertSettingValues } from '../../../alerts/alert-settings.ts'
import type { WireAlerts } from '../api.ts'
import type { Dashboard } from '../dashboard.ts'
import { toWireMoney } from '../to-wire.ts'
import { amount } from './query.ts'

const body = Type.Object(
  {
    balanceBelowMicroRub: orNull(amount),
    daysLeftBelow: orNull(Type.Integer({ minimum: 1, maximum: 365 })),
    unusualTimes: orNull(Type.Integer({ minimum: 2, maximum: 100 })),
    serviceFailures: Type.Boolean(),
    digestHour: orNull(Type.Integer({ minimum: 0, maximum: 23 })),
  },
  { additionalProperties: false },
)

function orNull<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()])
}

/** `GET /alerts`: the alerts that admins get. `PUT /alerts` sets all of it. */
export function alertsRoute(dashboard: () => Dashboard): FastifyPluginAsync {
  return async (app) => {
    app.get(
      '/alerts',
      async (): Promise<WireAlerts> => toWire(await dashboard().alertSettings.read()),
    )
    app.put<{ Body: Static<typeof body> }>(
      '/alerts',
      { schema: { body } },
      async ({ body, visitor }, reply): Promise<FastifyReply> => {
        await dashboard().alertSettings.set(fromWire(body), { adminId: visitor.userId })
        return reply.code(204).send()
      },
    )
  }
}

function toWire(values: AlertSettingValues): WireAlerts {
  const { balanceBelowMicroRub, daysLeftBelow, unusualTimes, serviceFailures, digestHour } = values
  return {
    balanceBelowMicroRub:
      balanceBelowMicroRub === undefined ? null : toWireMoney(balanceBelowMicroRub),
    daysLeftBelow: daysLeftBelow ?? null,
    unusualTimes: unusualTimes ?? null,
    serviceFailures,
    digestHour: digestHour ?? null,
  }
}

function fromWire(alerts: WireAlerts): AlertSettingValues {
  const { balanceBelowMicroRub, daysLeftBelow, unusualTimes, serviceFailures, digestHour } = alerts
  return {
    balanceBelowMicroRub: balanceBelowMicroRub === null ? undefined : BigInt(balanceBelowMicroRub),
    daysLeftBelow: daysLeftBelow ?? undefined,
    unusualTimes: unusualTimes ?? undefined,
    serviceFailures,
    digestHour: digestHour ?? undefined,
  }
}
