import type { PrismaClient } from '../../platform/database/generated/client.ts'
import { createStoredSettings } from '../stored-settings.ts'

/** The admins' rules for orders of every kind. */
export interface MediaRuleValues {
  confirmFromMicroRub: bigint
  parallelMax: number
  /** How long an order may take, from when its task was created. */
  deadlineMs: number
}

/** Keeps the admins' rules for orders of every kind, for all processes. */
export function createMediaRules(prisma: Pick<PrismaClient, 'setting' | '$transaction'>) {
  return createStoredSettings<MediaRuleValues>(prisma, {
    confirmFromMicroRub: {
      name: 'media_confirm_from_micro_rub',
      initial: 50_000_000n,
      parse: BigInt,
      format: String,
    },
    parallelMax: { name: 'media_parallel_max', initial: 3, parse: Number, format: String },
    deadlineMs: { name: 'media_deadline_ms', initial: 60 * 60_000, parse: Number, format: String },
  })
}

export type MediaRules = ReturnType<typeof createMediaRules>
