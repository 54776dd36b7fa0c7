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
  return { read, set }

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

  /** @param chosen A key whose value is undefined counts as given: for some settings it means "off". */
  async function set(chosen: Partial<Values>, { adminId }: { adminId: number }): Promise<void> {
    await prisma.$transaction(async (tx) => {
      for (const [key, definition] of entries) {
        if (!(key in chosen)) continue
        await setOne(tx, definition, { value: chosen[key as keyof Values], adminId })
      }
    })
  }
}

async function setOne(
  tx: Prisma.TransactionClient,
  { name, initial, format }: StoredSetting<unknown>,
  { value, adminId }: { value: unknown; adminId: number },
): Promise<void> {
  const after = format(value)
  // The row is there to be held, so that of two admins the second sees what the first one set.
  await tx.setting.createMany({ data: [{ name, value: format(initial) }], skipDuplicates: true })
  const [held] = await tx.$queryRaw<{ value: string }[]>`
    SELECT value FROM bot.setting WHERE name = ${name} FOR UPDATE`
  if (held === undefined) throw new TypeError(`Cannot set "${name}": its row is gone`)
  await tx.setting.update({ where: { name }, data: { value: after } })
  await recordChange(tx, { adminId, what: `setting:${name}`, before: held.value, after })
}
