import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Imports } from './read-imports.ts'

const SRC = join(import.meta.dirname, '../../src')

/** Plain SQL: raw statements of Prisma Client and pieces of them, and statements of the driver `pg`. */
const PLAIN_SQL =
  /\$(?:queryRaw|executeRaw)(?:Unsafe)?[<(`]|\bPrisma\.(?:sql|raw|join)\b|\.query[<(]|\bSQL`/
const WRITES = /\b(?:INSERT INTO|UPDATE (?:bot|\$)|DELETE FROM|FOR (?:NO KEY )?UPDATE|LOCK TABLE)/

/** Why files have plain SQL, by where they are and what their statements do: the first group that fits is theirs. */
const GROUPS: readonly { reason: string; holds: (file: string, text: string) => boolean }[] = [
  {
    reason:
      'The bot’s writes: each guards an invariant in one statement, takes locks in an order, or sets an instant by the database’s clock.',
    holds: (file, text) => file.startsWith('bot/') && WRITES.test(text),
  },
  {
    reason:
      'The bot’s reads: sums and reports, searches and ranks, and what is compared by the database’s clock.',
    holds: (file) => file.startsWith('bot/'),
  },
  {
    reason: 'The service: all of its SQL is its own, since it runs without Prisma Client.',
    holds: (file) => file.startsWith('service/'),
  },
  {
    reason: 'Processes and commands: sessions, locks, leases, notifications, migrations, backups.',
    holds: () => true,
  },
]

/** The list of docs/database.md, between its marks. */
const LIST = /(?<=<!-- npm run modules writes the list -->\n).*?(?=<!-- end of the list -->)/s

/** Finds the files that have plain SQL, with their text. Pages run in a browser, and have none. */
export async function readPlainSql(imports: Imports): Promise<ReadonlyMap<string, string>> {
  const files = [...imports.keys()].filter((file) => !file.includes('/page/'))
  const texts = await Promise.all(
    files.map(async (file) => [file, await readFile(join(SRC, file), 'utf8')] as const),
  )
  return new Map(texts.filter(([, text]) => PLAIN_SQL.test(text)))
}

/** @returns The page with the list of the files that have plain SQL, grouped by reason. */
export function drawDatabase(page: string, plainSql: ReadonlyMap<string, string>): string {
  const groups = GROUPS.map(({ reason }) => ({ reason, files: [] as string[] }))
  for (const [file, text] of plainSql) {
    groups[GROUPS.findIndex(({ holds }) => holds(file, text))]?.files.push(file)
  }
  const drawn = groups.map(({ reason, files }) => {
    return `${reason}\n\n${files.map((file) => `- \`src/${file}\``).join('\n')}\n`
  })
  return page.replace(LIST, () => `\n${drawn.join('\n')}\n`)
}
