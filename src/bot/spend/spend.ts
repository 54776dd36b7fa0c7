import type { Logger } from 'pino'
import type { ServiceClient } from '../../contract/client/service-client.ts'
import type { PrismaClient } from '../../platform/database/generated/client.ts'
import type { LimitPeriod } from '../../platform/database/generated/enums.ts'
import type { Texts } from '../locales/texts.ts'
import type { Outbox } from '../telegram/send.ts'
import type { NotifyPress } from '../telegram/shortcuts.ts'
import { createCalendar } from './calendar.ts'
import { createChartDrawing } from './charts/draw-chart.ts'
import { createSpendPictures } from './charts/spend-pictures.ts'
import { createServiceBalance } from './check/service-balance.ts'
import { createCostNotes } from './cost-notes.ts'
import { createLimitTexts } from './limits/limit-texts.ts'
import { createLimitWarnings } from './limits/limit-warnings.ts'
import { createLimits } from './limits/limits.ts'
import { createNearLimits } from './limits/near-limits.ts'
import { createReserve } from './limits/reserve.ts'
import { createReceiptButtons } from './receipt-button.ts'
import { createSpendReports } from './reports/spend-reports.ts'

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

/** Wires what the other rooms ask of money: what was spent, what may be, what the service has left of it. */
export function createSpend(deps: SpendDeps) {
  const { prisma, service, outbox, notifyPress, texts, settings, log } = deps
  const { adminIds, timeZone } = settings
  const calendar = createCalendar({ timeZone })
  const limitTexts = createLimitTexts({ texts, timeZone })
  const ofLimits = { prisma, calendar, adminIds }
  const { onEverybodyReached = () => {} } = deps
  const warnings = createLimitWarnings(ofLimits)
  const limits = createLimits({ ...ofLimits, budgetMicroRub: settings.budgetMicroRub })
  const costNotes = createCostNotes(prisma)
  const reports = createSpendReports({ prisma, calendar })
  const reservations = createReserve({ calendar, adminIds, onEverybodyReached })
  const readMonthLimit = settings.spendsOwnMoney === true ? limits.monthOfEverybody : undefined
  return {
    calendar,
    costNotes,
    balance: createServiceBalance({ prisma, service, calendar, readMonthLimit }),
    limits,
    limitTexts,
    reserve: reservations.reserve,
    reserveIn: reservations.reserveIn,
    nearLimits: createNearLimits({
      prisma,
      warnings,
      limitTexts,
      outbox,
      log,
    }),
    receiptButtons: createReceiptButtons({ prisma, outbox, notifyPress, texts, timeZone, log }),
    reports,
    spendPictures: createSpendPictures({ reports, drawing: createChartDrawing(), texts, log }),
  }
}

export type SpendParts = ReturnType<typeof createSpend>
