import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import { type Static, Type } from 'typebox'
import type { DecisionOutcome } from '../../../people/access/admissions.ts'
import type { GiveRoleOutcome } from '../../../people/access/give-role.ts'
import type { Dashboard } from '../dashboard.ts'
import { DashboardRefusal } from '../http/refusal.ts'
import { idText, pageText, search } from './query.ts'

const querystring = Type.Object(
  { search: Type.Optional(search), page: Type.Optional(pageText) },
  { additionalProperties: false },
)
const params = Type.Object({ id: idText })
const accessBody = Type.Object(
  { decision: Type.Enum(['allowed', 'refused', 'blocked']) },
  { additionalProperties: false },
)
const roleBody = Type.Object(
  { role: Type.Union([Type.Enum(['admin', 'viewer']), Type.Null()]) },
  { additionalProperties: false },
)

type Refusals<Outcome extends string> = Readonly<Record<Outcome, [status: number, detail: string]>>

const UNKNOWN: [number, string] = [404, 'The bot knows no such user.']

const DECISION_REFUSALS: Refusals<Exclude<DecisionOutcome, 'decided' | 'unchanged'>> = {
  unknown: UNKNOWN,
  admin: [409, 'An admin cannot be blocked.'],
}

const ROLE_REFUSALS: Refusals<Exclude<GiveRoleOutcome, 'given' | 'unchanged'>> = {
  unknown: UNKNOWN,
  fixed: [409, 'The settings make this user an admin.'],
  blocked: [409, 'The user is blocked.'],
  last_admin: [409, 'This is the last admin.'],
  not_admin: [403, 'You are no admin any more.'],
}

/** `GET /access`: who may what. `PUT /users/:id/access` and `PUT /users/:id/role` change it. */
export function accessRoute(dashboard: () => Dashboard): FastifyPluginAsync {
  return async (app) => {
    app.get<{ Querystring: Static<typeof querystring> }>(
      '/access',
      { schema: { querystring } },
      ({ query: { search = '', page = '0' } }) =>
        dashboard().accessList.read({ search, page: Number(page) }),
    )
    app.put<{ Params: Static<typeof params>; Body: Static<typeof accessBody> }>(
      '/users/:id/access',
      { schema: { params, body: accessBody } },
      async ({ params, body, visitor }, reply): Promise<FastifyReply> => {
        const given = { userId: Number(params.id), ...body, adminId: visitor.userId }
        const outcome = await dashboard().decisions.setAccess(given)
        if (outcome === 'unknown' || outcome === 'admin') refuse(DECISION_REFUSALS[outcome])
        return reply.code(204).send()
      },
    )
    app.put<{ Params: Static<typeof params>; Body: Static<typeof roleBody> }>(
      '/users/:id/role',
      { schema: { params, body: roleBody } },
      async ({ params, body, visitor }, reply): Promise<FastifyReply> => {
        const given = { userId: Number(params.id), ...body, adminId: visitor.userId }
        const outcome = await dashboard().decisions.giveRole(given)
        if (outcome !== 'given' && outcome !== 'unchanged') refuse(ROLE_REFUSALS[outcome])
        return reply.code(204).send()
      },
    )
  }
}

function refuse([status, detail]: [status: number, detail: string]): never {
  throw new DashboardRefusal(status, detail)
}
