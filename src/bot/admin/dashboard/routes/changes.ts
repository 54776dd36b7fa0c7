import type { FastifyPluginAsync } from 'fastify'
import { type Static, Type } from 'typebox'
import type { ChangesAnswer } from '../api.ts'
import type { Dashboard } from '../dashboard.ts'
import { toWireUser } from '../to-wire.ts'

const PAGE_SIZE = 50

const querystring = Type.Object(
  { before: Type.Optional(Type.String({ pattern: '^\\d{1,18}$' })) },
  { additionalProperties: false },
)

/** `GET /changes`: who changed what, the latest first. */
export function changesRoute(dashboard: () => Dashboard): FastifyPluginAsync {
  return async (app) => {
    app.get<{ Querystring: Static<typeof querystring> }>(
      '/changes',
      { schema: { querystring } },
      async ({ query }): Promise<ChangesAnswer> => {
        const before = query.before === undefined ? undefined : BigInt(query.before)
        const { changes, next } = await dashboard().changeLog.read({ before, take: PAGE_SIZE })
        return {
          changes: changes.map(({ id, at, admin, what, subject, before, after }) => ({
            id: id.toString(),
            at: at.toISOString(),
            by: toWireUser(admin),
            what,
            subject: subject && toWireUser(subject),
            before,
            after,
          })),
          next: next?.toString() ?? null,
        }
      },
    )
  }
}
