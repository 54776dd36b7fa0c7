import type { Prisma, PrismaClient } from '../platform/database/generated/client.ts'
import { recordChange } from './change-log.ts'

/** One value that admins change while the bot runs. */
export interface StoredSetting<Value> {
  name: string
  initial: Value
  parse(text: string): Value
  format(value: Value): string
}

/** Settings that admins change while the bot runs, kept in the database for all processes. */
export function createStoredSettings<Values extends object>(
  prisma: Pick<PrismaClient, 'setting' | '$transaction'>,
  definitions: { readonly [Key in keyof Values]: StoredSetting<Values[Key]> },
) {
  const entries = Object.entries<StoredSetting<unknown>>(definitions)
  return { read, set, setIn }

  async function read(): Promise<Values> {
    const names = entries.map(([, { name }]) => name)
    const rows = await prisma.setting.findMany({ where: { name: { in: names } } })
    const stored = new Map(rows.map(({ name, value }) => [name, value]))
    const values = entries.map(([key, { name, initial, parse }]) => {
      const text = stored.get(name)
      return [key, text === undefined ? initial : parse(text)]
    })
    return Object.fromEntries(values) as Values
  }

  function set(chosen: Partial<Values>, by: SettingAuthor<Values>): Promise<void> {
    return prisma.$transaction((tx) => setIn(tx, chosen, by))
  }

  /** @param chosen A key whose value is undefined counts as given: for some settings it means "off". */
  async function setIn(
    tx: Prisma.TransactionClient,
    chosen: Partial<Values>,
    { adminId, seen = {} }: SettingAuthor<Values>,
  ): Promise<void> {
    for (const [key, definition] of entries) {
      if (!(key in chosen)) continue
      const value = definition.format(chosen[key as keyof Values])
      const shown = key in seen ? definition.format(seen[key as keyof Values]) : undefined
      await setOne(tx, definition, { value, seen: shown, adminId })
    }
  }
}

/** The admin who changes settings, and the values that they saw. */
interface SettingAuthor<Values> {
  adminId: number
  seen?: Partial<Values>
}

async function setOne(
  tx: Prisma.TransactionClient,
  { name, initial, format }: StoredSetting<unknown>,
  { value, seen, adminId }: { value: string; seen: string | undefined; adminId: number },
): Promise<void> {
  const before = await lockSetting(tx, { name, initial: format(initial) })
  await tx.setting.update({ where: { name }, data: { value } })
  await recordChange(tx, { adminId, what: `setting:${name}`, before, after: value, seen })
}

/** Locks a stored value until the transaction ends: of two writers the second reads what the first one stored. */
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
