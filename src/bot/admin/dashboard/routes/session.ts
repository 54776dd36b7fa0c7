import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { clientAddressOf } from '../../../../platform/http/forwarded.ts'
import type { Tries } from '../../../people/access/tries.ts'
import type { Role, SignInAnswer, SignInRefusal, WireVisitor } from '../api.ts'
import { DashboardRefusal } from '../http/refusal.ts'
import type { OpenSession, Sessions } from '../sign-in/sessions.ts'
import { type SignInDeps, signIn } from '../sign-in/sign-in.ts'

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

export interface SessionRooms extends SignInDeps {
  sessions: Pick<Sessions, 'begin' | 'end'>
  tries: Tries
  users: { describe(userId: number): Promise<Pick<WireVisitor, 'name' | 'username' | 'language'>> }
  timeZone: string
}

/**
 * `POST /session`: signs in.
 *
 * @param trustedProxies Those who name the address of a client: failed tries are counted by it.
 */
export function signInRoute(
  rooms: () => SessionRooms,
  { trustedProxies }: { trustedProxies: readonly string[] },
): FastifyPluginAsync {
  return async (app) => {
    app.post<{ Body: Static<typeof signInBody> }>(
      '/session',
      { schema: { body: signInBody } },
      async (request, reply): Promise<SignInAnswer> => {
        const { tries } = rooms()
        const address = clientAddressOf(request, trustedProxies)
        const waitMs = tries.waitMsOf(address)
        if (waitMs > 0) {
          throw new DashboardRefusal(429, 'Too many tries to sign in.', { retryAfterMs: waitMs })
        }
        const outcome = await signIn(request.body, rooms())
        if (typeof outcome === 'string') {
          tries.noteFailure(address)
          throw new DashboardRefusal(401, DETAILS[outcome], { error: outcome })
        }
        reply.code(201)
        return { token: outcome.token, me: await describeMe(outcome, rooms()) }
      },
    )
  }
}

/** `GET /session`: who is signed in. `DELETE /session`: signs out. */
export function sessionRoute(rooms: () => SessionRooms): FastifyPluginAsync {
  return async (app) => {
    app.get('/session', ({ visitor }) => describeMe(visitor, rooms()))
    app.delete(
      '/session',
      { config: { forViewers: true } },
      async ({ visitor }: FastifyRequest, reply): Promise<FastifyReply> => {
        await rooms().sessions.end(visitor.token)
        return reply.code(204).send()
      },
    )
  }
}

async function describeMe(
  { userId, role, endsAt }: OpenSession & { role: Role },
  { users, timeZone }: SessionRooms,
): Promise<WireVisitor> {
  const user = await users.describe(userId)
  return { userId, ...user, role, timeZone, endsAt: endsAt.toISOString() }
}
