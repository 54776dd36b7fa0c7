import type { Logger } from 'pino'
import type { ServiceClient } from '../../contract/client/service-client.ts'
import type { PrismaClient } from '../../platform/database/generated/client.ts'
import type { LimitPeriod } from '../../platform/database/generated/enums.ts'
import type { Outbox } from '../telegram/send.ts'
import type { NotifyPress } from '../telegram/shortcuts.ts'
import type { Texts } from '../texts/texts.ts'
import { ServiceBalance } from './balance.ts'
import { createCalendar } from './calendar.ts'
import { createCostNotes } from './cost-notes.ts'
import { createLimitTexts } from './limit-texts.ts'
import { Limits } from './limits.ts'
import { type Charged, warnOfLimits } from './near-limits.ts'
import { createReceiptButtons } from './receipts.ts'
import { Reports } from './reports.ts'
import { SpendPictures } from './spend-pictures.ts'

export interface SpendDeps {
  prisma: PrismaClient
  service: Pick<ServiceClient, 'balance'>
  outbox: Pick<Outbox, 'send'>
  notifyPress: NotifyPress
  texts: Texts
  settings: SpendSettings
  onEverybodyReached?: (period: LimitPeriod) => void
  log: Logger
}

interface SpendSettings {
  adminIds: ReadonlySet<number>
  timeZone: string
  spendsOwnMoney?: boolean | undefined
  budgetMicroRub?: bigint | undefined
}

/** Builds the parts of this folder: charges, limits, reports and the balance. */
export function createSpend(deps: SpendDeps) {
  const { prisma, service, outbox, notifyPress, texts, settings, log } = deps
  const { adminIds, timeZone, budgetMicroRub } = settings
  const calendar = createCalendar({ timeZone })
  const limitTexts = createLimitTexts({ texts, timeZone })
  const { onEverybodyReached = () => {} } = deps
  const limits = new Limits({ prisma, calendar, adminIds, budgetMicroRub, onEverybodyReached })
  const nearLimits = { prisma, limits, limitTexts, outbox, log }
  const reports = new Reports({ prisma, calendar })
  const readMonthLimit =
    settings.spendsOwnMoney === true ? () => limits.monthOfEverybody() : undefined
  return {
    calendar,
    costNotes: createCostNotes(prisma),
    balance: new ServiceBalance({ prisma, service, calendar, readMonthLimit }),
    limits,
    limitTexts,
    warnOfLimits: (charged: Charged) => warnOfLimits(nearLimits, charged),
    receiptButtons: createReceiptButtons({ prisma, outbox, notifyPress, texts, timeZone, log }),
    reports,
    spendPictures: new SpendPictures({ reports, texts, log }),
  }
}

export type SpendParts = ReturnType<typeof createSpend>
