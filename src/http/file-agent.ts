import { Agent } from 'undici'

const CONNECT_MS_MAX = 10_000
const SILENCE_MS_MAX = 30_000

/** Connections over which files come and go, as long as they take: only silence is bounded. Destroy it at the end. */
export function createFileAgent(): Agent {
  return new Agent({
    connect: { timeout: CONNECT_MS_MAX },
    headersTimeout: SILENCE_MS_MAX,
    bodyTimeout: SILENCE_MS_MAX,
  })
}
