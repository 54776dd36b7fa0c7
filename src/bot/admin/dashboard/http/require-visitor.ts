import type { FastifyRequest } from 'fastify'
import type { Role } from '../api.ts'
import type { Sessions } from '../sign-in/sessions.ts'
import { DashboardRefusal } from './refusal.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The user who is signed in. Set by `requireVisitor()` before the body is read. */
    visitor: Visitor
  }

  interface FastifyContextConfig {
    /** The route changes nothing of the bot's, though its method says so: viewers may, too. */
    forViewers?: true
  }
}

/** The user who is signed in, and their role at this moment. */
export interface Visitor {
  userId: number
  role: Role
  token: string
  endsAt: Date
}

export interface VisitorDeps {
  sessions: Pick<Sessions, 'use' | 'end'>
  roles: { of(userId: number): Promise<Role | undefined> }
}

const READS = new Set(['GET', 'HEAD'])

const BEARER = /^Bearer +(\S+) *$/i

/**
 * Names who is signed in, and judges what they may: a session has no role of its own, so that one taken away
 * ends at once. Admins may everything, viewers what changes nothing.
 *
 * @throws {DashboardRefusal} 401 without an open session or a role, 403 where a viewer would change something.
 */
export async function requireVisitor(
  request: FastifyRequest,
  { sessions, roles }: VisitorDeps,
): Promise<Visitor> {
  const token = BEARER.exec(request.headers.authorization ?? '')?.[1]
  const session = token === undefined ? undefined : await sessions.use(token)
  if (token === undefined || session === undefined) {
    throw new DashboardRefusal(401, 'Nobody is signed in, or the session has ended.')
  }
  const role = await roles.of(session.userId)
  if (role === undefined) {
    await sessions.end(token)
    throw new DashboardRefusal(401, 'Only admins and viewers see this page.')
  }
  const { config } = request.routeOptions
  const isForViewers = READS.has(request.method) || config.forViewers === true
  if (role !== 'admin' && !isForViewers) {
    throw new DashboardRefusal(403, 'Viewers change nothing.')
  }
  return { ...session, token, role }
}
