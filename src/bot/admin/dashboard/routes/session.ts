import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Role, SignInAnswer, SignInBody, SignInRefusal, WireVisitor } from '../api.ts'
import type { Dashboard } from '../dashboard.ts'
import { DashboardRefusal } from '../http/refusal.ts'
import { checkInitData } from '../sign-in/init-data.ts'
import type { OpenSession } from '../sign-in/sessions.ts'
import type { TicketRefusal } from '../sign-in/tickets.ts'

/** Telegram's is about 600 characters, most of it the user's name and picture. */
const INIT_DATA_CHARS_MAX = 8_192

const signInBody = Type.Union([
  Type.Object(
    { initData: Type.String({ minLength: 1, maxLength: INIT_DATA_CHARS_MAX }) },
    { additionalProperties: false },
  ),
  Type.Object(
    { link: Type.String({ minLength: 1, maxLength: 100 }) },
    { additionalProperties: false },
  ),
])

const DETAILS: Readonly<Record<SignInRefusal, string>> = {
  link_used: 'The link was used already. Ask the bot for another with /dashboard.',
  link_expired: 'The link is too old. Ask the bot for another with /dashboard.',
  link_unknown: 'There is no such link. Ask the bot for one with /dashboard.',
  init_data_invalid: 'Telegram did not sign this for our bot.',
  init_data_used: 'What Telegram signed was used already. Open the page anew.',
  init_data_expired: 'What Telegram signed is too old. Open the page anew.',
  no_role: 'Only admins and viewers see this page.',
}

const LINK_REFUSALS: Readonly<Record<TicketRefusal, SignInRefusal>> = {
  used: 'link_used',
  expired: 'link_expired',
  unknown: 'link_unknown',
}

/** `POST /session`: signs in. Failed tries are counted by the address of the client. */
export function signInRoute(dashboard: () => Dashboard): FastifyPluginAsync {
  return async (app) => {
    app.post<{ Body: Static<typeof signInBody> }>(
      '/session',
      { schema: { body: signInBody } },
      async (request, reply): Promise<SignInAnswer> => {
        const { tries } = dashboard()
        const address = request.ip
        const waitMs = tries.waitMsOf(address)
        if (waitMs > 0) {
          throw new DashboardRefusal(429, 'Too many tries to sign in.', { retryAfterMs: waitMs })
        }
        const outcome = await signIn(request.body, dashboard())
        if (typeof outcome === 'string') {
          tries.noteFailure(address)
          throw new DashboardRefusal(401, DETAILS[outcome], { error: outcome })
        }
        reply.code(201)
        return { token: outcome.token, me: await describeMe(outcome, dashboard()) }
      },
    )
  }
}

/** `GET /session`: who is signed in. `DELETE /session`: signs out. */
export function sessionRoute(dashboard: () => Dashboard): FastifyPluginAsync {
  return async (app) => {
    app.get('/session', ({ visitor }) => describeMe(visitor, dashboard()))
    app.delete(
      '/session',
      { config: { forViewers: true } },
      async ({ visitor }: FastifyRequest, reply): Promise<FastifyReply> => {
        await dashboard().sessions.end(visitor.token)
        return reply.code(204).send()
      },
    )
  }
}

async function describeMe(
  { userId, role, endsAt }: OpenSession & { role: Role },
  { users, timeZone }: Dashboard,
): Promise<WireVisitor> {
  const user = await users.describe(userId)
  return { userId, ...user, role, timeZone, endsAt: endsAt.toISOString() }
}

async function signIn(
  given: SignInBody,
  { botToken, sessions, tickets, roles, now }: Dashboard,
): Promise<(OpenSession & { token: string; role: Role }) | SignInRefusal> {
  const found = 'link' in given ? await takeLink(given.link) : await readInitData(given.initData)
  if (typeof found === 'string') return found
  const role = await roles.of(found.userId)
  if (role === undefined) return 'no_role'
  if ('hash' in found && !(await tickets.takeInitData(found))) return 'init_data_used'
  return { ...(await sessions.begin(found.userId)), role }

  async function takeLink(link: string) {
    const ticket = await tickets.take('sign_in', link)
    return typeof ticket === 'string' ? LINK_REFUSALS[ticket] : ticket
  }

  async function readInitData(initData: string) {
    const checked = checkInitData(initData, { botToken, now: await now() })
    return typeof checked === 'string' ? (`init_data_${checked}` as const) : checked
  }
}
