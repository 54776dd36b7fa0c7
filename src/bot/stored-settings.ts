import type { PrismaClient } from '../database/generated/client.ts'

/** One value that admins change while the bot runs. */
export interface StoredSetting<Value> {
  /** Its row's name. */
  name: string
  /** What counts where no admin has set it. */
  initial: Value
  /** Reads what `format` wrote. */
  parse(text: string): Value
  format(value: Value): string
}

/** Settings that admins change while the bot runs, kept in the database for all processes. */
export function createStoredSettings<Values extends object>(
  prisma: Pick<PrismaClient, 'setting'>,
  definitions: { readonly [Key in keyof Values]: StoredSetting<Values[Key]> },
) {
  const entries = Object.entries<StoredSetting<unknown>>(definitions)
  return { read, set }

  /** Reads all of them, in one query. */
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

  async function set<Key extends keyof Values>(key: Key, chosen: Values[Key]): Promise<void> {
    const { name, format } = definitions[key]
    const value = format(chosen)
    const where = { name }
    await prisma.setting.upsert({ where, create: { ...where, value }, update: { value } })
  }
}
