import type { PrismaClient } from '../../platform/database/generated/client.ts'
import { createStoredSettings, type StoredSetting } from '../stored-settings.ts'

/** The limits from which admins are notified. Undefined: they are not. */
export interface AlertSettingValues {
  balanceBelowMicroRub: bigint | undefined
  daysLeftBelow: number | undefined
  /** A user spends so many times their mean day of the last 30: `isUnusualSpend()`. */
  unusualTimes: number | undefined
  serviceFailures: boolean
  /** The hour of the daily digest, from 0 to 23, by TIME_ZONE. */
  digestHour: number | undefined
}

const OFF = 'off'

/** Keeps what admins are notified of, for all processes. */
export function createAlertSettings(prisma: Pick<PrismaClient, 'setting' | '$transaction'>) {
  return createStoredSettings<AlertSettingValues>(prisma, {
    balanceBelowMicroRub: orOff('alert_balance_below_micro_rub', 500_000_000n, BigInt),
    daysLeftBelow: orOff('alert_days_left_below', 3, Number),
    unusualTimes: orOff('alert_unusual_times', 5, Number),
    serviceFailures: {
      name: 'alert_service_failures',
      initial: true,
      parse: (text) => text !== OFF,
      format: (isOn) => (isOn ? 'on' : OFF),
    },
    digestHour: orOff('digest_hour', 10, Number),
  })
}

export type AlertSettings = ReturnType<typeof createAlertSettings>

function orOff<Value extends bigint | number>(
  name: string,
  initial: Value,
  parse: (text: string) => Value,
): StoredSetting<Value | undefined> {
  return {
    name,
    initial,
    parse: (text) => (text === OFF ? undefined : parse(text)),
    format: (value) => (value === undefined ? OFF : String(value)),
  }
}
