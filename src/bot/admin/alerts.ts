import type { PrismaClient } from '../../platform/database/generated/client.ts'
import { type AdminAlertsDeps, createAdminAlerts } from './alert-admins.ts'
import { createAlertSettings } from './alert-settings.ts'
import { createEverybodyWatch, type EverybodyWatchDeps } from './everybody-limit.ts'
import { createNotifyAdmins, type NotifyAdminsDeps } from './notify-admins.ts'
import { createMoneyWatch, type MoneyWatchDeps } from './watch-money.ts'

export interface AlertDeps
  extends NotifyAdminsDeps,
    Pick<AdminAlertsDeps, 'texts' | 'isServiceInside' | 'clock'>,
    Pick<EverybodyWatchDeps, 'limits' | 'limitTexts'>,
    Pick<MoneyWatchDeps, 'calendar' | 'readOutlook'> {
  prisma: PrismaClient
}

/** Builds what tells admins of something by itself, and what says which of it they want to hear. */
export function createAlerts(deps: AlertDeps) {
  const settings = createAlertSettings(deps.prisma)
  const notifyAdmins = createNotifyAdmins(deps)
  const everybodyWatch = createEverybodyWatch({ ...deps, notifyAdmins })
  return {
    settings,
    ofService: createAdminAlerts({ ...deps, settings, notifyAdmins }),
    everybodyWatch,
    moneyWatch: createMoneyWatch({ ...deps, settings, everybodyWatch, notifyAdmins }),
  }
}
