import type { LookupFunction } from 'node:net'
import { Agent } from 'undici'

const CONNECT_MS_MAX = 10_000
const SILENCE_MS_MAX = 30_000

/**
 * Connections over which files come and go, as long as they take: only silence is bounded. Destroy it at
 * the end.
 *
 * @param lookup The system's resolver by default.
 */
export function createFileAgent({ lookup }: { lookup?: LookupFunction } = {}): Agent {
  return new Agent({
    connect: { timeout: CONNECT_MS_MAX, ...(lookup !== undefined && { lookup }) },
    headersTimeout: SILENCE_MS_MAX,
    bodyTimeout: SILENCE_MS_MAX,
  })
}
