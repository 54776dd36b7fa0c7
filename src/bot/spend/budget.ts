import type { PrismaClient } from '../../platform/database/generated/client.ts'
import { createStoredSettings } from '../settings/stored-settings.ts'

const OFF = 'off'

/** The most that all users together are meant to spend. */
export interface BudgetValues {
  /** In a month by TIME_ZONE; undefined: there is no budget. */
  monthMicroRub: bigint | undefined
}

/**
 * Keeps the budget, for all processes. There is one where the bot spends its operator's own money at an upstream, so
 * that no account's balance bounds it.
 *
 * @param initial That of BUDGET_RUB, which counts where no admin has set one.
 */
export function createBudget(
  prisma: Pick<PrismaClient, 'setting' | '$transaction'>,
  initial: bigint | undefined,
) {
  return createStoredSettings<BudgetValues>(prisma, {
    monthMicroRub: {
      name: 'budget_month_micro_rub',
      initial,
      parse: (text) => (text === OFF ? undefined : BigInt(text)),
      format: (value) => (value === undefined ? OFF : String(value)),
    },
  })
}

export type Budget = ReturnType<typeof createBudget>
