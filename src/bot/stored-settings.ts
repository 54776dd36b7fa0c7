/** Settings that admins change while the bot runs, stored in the database for all processes. */
import type { Prisma, PrismaClient } from '../platform/database/generated/client.ts'
import { recordChange } from './change-log.ts'

/** Answers show a cost from this amount on, in micro-roubles; 0 is always. */
export type CostNote = bigint | 'off'

/** Undefined means off. */
export interface SettingValues {
  balanceBelowMicroRub: bigint | undefined
  daysLeftBelow: number | undefined
  serviceFailures: boolean
  /** The hour of the daily digest, from 0 to 23, by TIME_ZONE. */
  digestHour: number | undefined
  confirmFromMicroRub: bigint
  /** The orders of one user at a time. */
  parallelMax: number
  /** How long an order may take, from when its task was created. */
  deadlineMs: number
  /** For users who chose nothing. */
  costNote: CostNote
}

type SettingName = keyof SettingValues
type SettingValue = SettingValues[SettingName]

/** One setting. Only an amount of roubles is typed otherwise than it is stored (`admin/settings.ts`). */
export interface Setting {
  key: SettingName
  /** Names the row, and the change in the log. */
  row: string
  initial: SettingValue
  parse(stored: string): SettingValue
  format(value: SettingValue): string
  /** As admins type it. */
  name: string
  group: 'alerts' | 'orders' | 'answers'
  /** An amount of roubles if there are no bounds and no choices. */
  bounds?: { min: number; max: number }
  choices?: readonly string[]
  canBeOff: boolean
}

const OFF = 'off'
const MINUTE_MS = 60_000
const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour))

export const COST_NOTE_SETTING = 'cost_note_from_micro_rub'
const COST_NOTE: CostNote = 5_000_000n

const OR_OFF = {
  format: (value: SettingValue) => (value === undefined ? OFF : String(value)),
  group: 'alerts',
  canBeOff: true,
} as const
const NUMBER_OR_OFF = {
  ...OR_OFF,
  parse: (text: string) => (text === OFF ? undefined : Number(text)),
}
const ALWAYS_ON = { format: String, group: 'orders', canBeOff: false } as const

export const SETTINGS: readonly Setting[] = [
  {
    ...OR_OFF,
    key: 'balanceBelowMicroRub',
    row: 'alert_balance_below_micro_rub',
    initial: 500_000_000n,
    parse: (text) => (text === OFF ? undefined : BigInt(text)),
    name: 'balance',
  },
  {
    ...NUMBER_OR_OFF,
    key: 'daysLeftBelow',
    row: 'alert_days_left_below',
    initial: 3,
    name: 'days',
    bounds: { min: 1, max: 365 },
  },
  {
    key: 'serviceFailures',
    row: 'alert_service_failures',
    initial: true,
    parse: (text) => text !== OFF,
    format: (isOn) => (isOn ? 'on' : OFF),
    name: 'failures',
    group: 'alerts',
    choices: ['on', OFF],
    canBeOff: false,
  },
  {
    ...NUMBER_OR_OFF,
    key: 'digestHour',
    row: 'digest_hour',
    initial: 10,
    name: 'digest',
    bounds: { min: 0, max: 23 },
    choices: ['', ...HOURS],
  },
  {
    ...ALWAYS_ON,
    key: 'confirmFromMicroRub',
    row: 'media_confirm_from_micro_rub',
    initial: 50_000_000n,
    parse: BigInt,
    name: 'confirm',
  },
  {
    ...ALWAYS_ON,
    key: 'parallelMax',
    row: 'media_parallel_max',
    initial: 3,
    parse: Number,
    name: 'parallel',
    bounds: { min: 1, max: 100 },
  },
  {
    ...ALWAYS_ON,
    key: 'deadlineMs',
    row: 'media_deadline_minutes',
    initial: 60 * MINUTE_MS,
    parse: (text) => Number(text) * MINUTE_MS,
    format: (ms) => String(Number(ms) / MINUTE_MS),
    name: 'deadline',
    bounds: { min: 1, max: 24 * 60 },
  },
  {
    ...OR_OFF,
    key: 'costNote',
    row: COST_NOTE_SETTING,
    initial: COST_NOTE,
    parse: parseCostNote,
    name: 'costnote',
    group: 'answers',
  },
]

export interface SettingAuthor {
  adminId: number
  seen?: Partial<SettingValues> | undefined
}

export class StoredSettings {
  readonly #prisma: Pick<PrismaClient, 'setting' | '$transaction'>

  constructor(prisma: Pick<PrismaClient, 'setting' | '$transaction'>) {
    this.#prisma = prisma
  }

  async read(): Promise<SettingValues> {
    const names = SETTINGS.map(({ row }) => row)
    const rows = await this.#prisma.setting.findMany({ where: { name: { in: names } } })
    const stored = new Map(rows.map(({ name, value }) => [name, value]))
    const values = SETTINGS.map(({ key, row, initial, parse }) => {
      const text = stored.get(row)
      return [key, text === undefined ? initial : parse(text)]
    })
    return Object.fromEntries(values) as SettingValues
  }

  /** @param chosen A key whose value is undefined counts as given. */
  async set(chosen: Partial<SettingValues>, { adminId, seen = {} }: SettingAuthor): Promise<void> {
    await this.#prisma.$transaction(async (tx) => {
      for (const { key, row: name, initial, format } of SETTINGS) {
        if (!(key in chosen)) continue
        const after = format(chosen[key])
        const before = await lockSetting(tx, { name, initial: format(initial) })
        await tx.setting.update({ where: { name }, data: { value: after } })
        const shown = key in seen ? format(seen[key]) : undefined
        await recordChange(tx, { adminId, what: `setting:${name}`, before, after, seen: shown })
      }
    })
  }
}

/** @param text As it is stored; null if the setting was never chosen. */
export function parseCostNote(text: string | null): CostNote {
  if (text === null) return COST_NOTE
  return text === OFF ? OFF : BigInt(text)
}

/** Locks a stored value until the transaction ends: a second writer reads the value of the first. */
export async function lockSetting(
  tx: Prisma.TransactionClient,
  { name, initial }: { name: string; initial: string },
): Promise<string> {
  await tx.setting.createMany({ data: [{ name, value: initial }], skipDuplicates: true })
  const [held] = await tx.$queryRaw<{ value: string }[]>`
    SELECT value FROM bot.setting WHERE name = ${name} FOR UPDATE`
  if (held === undefined) throw new TypeError(`Cannot lock "${name}": its row is gone`)
  return held.value
}
