import { Refusal } from '../refusals.ts'

const MEBIBYTE = 1024 * 1024
const MINUTE_MS = 60_000

/** How much memory bodies may take; a body counts from its first byte until its request has ended. */
export interface BodyBounds {
  openBytesMax: number
  /** The bound for one account at once: less than all, so that no account can take it from the others. */
  accountBytesMax: number
  /** The bound for one account's refused bodies, at once and again in each minute. */
  refusedBytesMax: number
  /** A smaller body is always let in, and refused for nothing: what is wrong with it is cheap to say. */
  smallBytesMax: number
}

/**
 * The bounds that a heap of 512 MB bears: text may take two bytes in memory for each of the body's, and is there
 * twice while one request of all is written to its provider.
 */
const BOUNDS: BodyBounds = {
  openBytesMax: 96 * MEBIBYTE,
  accountBytesMax: 48 * MEBIBYTE,
  refusedBytesMax: 64 * MEBIBYTE,
  smallBytesMax: 32 * 1024,
}

/** When there may be room again: bodies come and go within seconds. */
const FULL_RETRY_MS = 1000

interface AccountUse {
  openBytes: number
  /** The share of refused bodies, as it stood at `refusedAtMs`; since then it has become less. */
  refusedBytes: number
  refusedAtMs: number
}

/** The share of the budget that one request may take. */
export type BodyAllowance = ReturnType<ReturnType<typeof createBodyBudget>['open']>

/**
 * Counts the memory that bodies take in this process, in all and by account. It knows nothing of other
 * processes: what it protects is this one.
 */
export function createBodyBudget({
  nowMs = () => performance.now(),
  bounds: { openBytesMax, accountBytesMax, refusedBytesMax, smallBytesMax } = BOUNDS,
}: {
  nowMs?: () => number
  bounds?: BodyBounds
} = {}) {
  const refusedBytesPerMs = refusedBytesMax / MINUTE_MS
  const uses = new Map<number, AccountUse>()
  let openBytes = 0
  return { open }

  function open(accountId: number) {
    let taken = 0
    let isOpen = true
    return { take, end }

    /**
     * Takes more memory for the body, until `end()`.
     *
     * @throws {Refusal} 429 where the account has too much, 503 where all have. What the body had is given
     * back at once: of several that grow together all would be refused otherwise, and none let in.
     */
    function take(bytes: number): void {
      const use = uses.get(accountId) ?? { openBytes: 0, refusedBytes: 0, refusedAtMs: nowMs() }
      const refusal = taken + bytes > smallBytesMax ? judge(use, bytes) : undefined
      if (refusal !== undefined) {
        giveBack(use)
        throw refusal
      }
      uses.set(accountId, use)
      taken += bytes
      use.openBytes += bytes
      openBytes += bytes
    }

    function judge(use: AccountUse, bytes: number): Refusal | undefined {
      const excessBytes = readRefused(use) + taken + bytes - refusedBytesMax
      if (excessBytes > 0) {
        const retryAfterMs = excessBytes / refusedBytesPerMs
        return new Refusal(429, 'Too many large requests were refused.', { retryAfterMs })
      }
      if (use.openBytes + bytes > accountBytesMax) {
        const detail = 'Too many large requests at once.'
        return new Refusal(429, detail, { retryAfterMs: FULL_RETRY_MS })
      }
      if (openBytes + bytes > openBytesMax) {
        const detail = 'The service has too many large requests at once.'
        return new Refusal(503, detail, { retryAfterMs: FULL_RETRY_MS })
      }
      return undefined
    }

    function giveBack(use: AccountUse): void {
      if (!isOpen) return
      isOpen = false
      use.openBytes -= taken
      openBytes -= taken
    }

    /** Gives back what was taken, and counts it if it was refused. Call it once, when the request has ended. */
    function end({ isRefused }: { isRefused: boolean }): void {
      const use = uses.get(accountId)
      if (use === undefined) return
      giveBack(use)
      use.refusedBytes = readRefused(use) + (isRefused && taken > smallBytesMax ? taken : 0)
      use.refusedAtMs = nowMs()
      if (use.openBytes === 0 && use.refusedBytes === 0) uses.delete(accountId)
    }
  }

  function readRefused({ refusedBytes, refusedAtMs }: AccountUse): number {
    return Math.max(0, refusedBytes - (nowMs() - refusedAtMs) * refusedBytesPerMs)
  }
}
