import type { HeldLimit } from './held-limits.ts'

/** Why something is not asked for: the limit that leaves no room for it, at that moment. */
export interface LimitRefusal
  extends Pick<
    HeldLimit,
    'subjectId' | 'period' | 'spentMicroRub' | 'reservedMicroRub' | 'resetsAt'
  > {
  limitMicroRub: bigint
  /** The highest cost that was expected; 0 where that is not known. */
  neededMicroRub: bigint
}

/** A limit leaves no room: nothing was asked of the service, and nothing reserved. */
export class LimitReachedError extends Error {
  override readonly name = 'LimitReachedError'
  readonly code = 'limit_reached'
  readonly refusal: LimitRefusal

  constructor(refusal: LimitRefusal) {
    super(`Cannot ask the service: the limit of ${refusal.subjectId} leaves no room`)
    this.refusal = refusal
  }
}

/** A refusal in JSON, which has no integers as large as money may be. */
type StoredRefusal = { period: LimitRefusal['period']; resetsAt: string | null } & Record<
  'subjectId' | 'limitMicroRub' | 'spentMicroRub' | 'reservedMicroRub' | 'neededMicroRub',
  string
>

/** Writes a refusal as it is stored. */
export function toStoredRefusal({ period, resetsAt, ...refusal }: LimitRefusal): string {
  return JSON.stringify({
    period,
    resetsAt: resetsAt === null ? null : resetsAt.toISOString(),
    subjectId: String(refusal.subjectId),
    limitMicroRub: String(refusal.limitMicroRub),
    spentMicroRub: String(refusal.spentMicroRub),
    reservedMicroRub: String(refusal.reservedMicroRub),
    neededMicroRub: String(refusal.neededMicroRub),
  } satisfies StoredRefusal)
}

/** Reads what `toStoredRefusal()` wrote; null where there is none. */
export function readStoredRefusal(json: unknown): LimitRefusal | null {
  if (json === null) return null
  const { period, resetsAt, ...stored } = json as StoredRefusal
  return {
    period,
    resetsAt: resetsAt === null ? null : new Date(resetsAt),
    subjectId: BigInt(stored.subjectId),
    limitMicroRub: BigInt(stored.limitMicroRub),
    spentMicroRub: BigInt(stored.spentMicroRub),
    reservedMicroRub: BigInt(stored.reservedMicroRub),
    neededMicroRub: BigInt(stored.neededMicroRub),
  }
}
