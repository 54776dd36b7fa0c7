import type { FastifyRequest } from 'fastify'
import { DashboardRefusal } from './refusal.ts'

const READS = new Set(['GET', 'HEAD'])

/**
 * Refuses a request that changes something and does not come from our own page. A browser sends no token of
 * a session by itself, so no other site could use one; this holds even if a token were ever kept in a cookie.
 *
 * Ours is the origin that others reach this process under, and the one that the request itself was sent to.
 *
 * @throws {DashboardRefusal} 403.
 */
export function requireOwnOrigin(
  { method, headers }: FastifyRequest,
  publicUrl: string | undefined,
): void {
  if (READS.has(method)) return
  const origin = URL.parse(headers.origin ?? '')
  const isOwn =
    origin !== null &&
    (origin.host === headers.host || origin.origin === URL.parse(publicUrl ?? '')?.origin)
  if (!isOwn) throw new DashboardRefusal(403, 'The request does not come from this page.')
}
