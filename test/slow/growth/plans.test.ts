import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { createSpendProgram } from '../../../src/cli/spend.ts'
import { runAccount } from '../../cli/account/run-account.ts'
import { openTestDatabase } from '../../platform/database/open-test-database.ts'
import { createTestDatabase } from '../../platform/database/test-database.ts'
import { startKopeck } from '../../support/kopeck.ts'
import { makeFolder } from '../../support/make-folder.ts'
import { openTelegram } from '../../support/telegram-user.ts'
import { growDatabase, READER } from './grow.ts'

/** A statement may read so many rows, and for each returned row so many more. */
const READ_MAX = 100
const READ_PER_ROW = 5
const AT_REST = { timeout: 90_000, interval: 20 }
const SEND_LIMITS = { private_per_second: 1_000, private_burst: 1_000, overall_per_second: 1_000 }
const WORDS =
  '/start; What is a kopeck?; /history; /chats; /chats word; /orders; /usage; /retry; /image a fox; /spend; /spend 1001; /users; /users user1500; /balance; /stats; /limit 1001 1 day; /new; And a rouble?'

/** The statements that need to read more, by a part of their text, and why. */
const READS_MORE: readonly [part: string, why: string][] = [
  ['FROM fault LEFT JOIN', 'the ledger check adds up everything, and then rests 100 times as long'],
  ['AS "pricedModel"', 'once a day the latest requests of each account are searched'],
  [
    'lease_owner = $1 AND id <> ALL',
    'all open orders are searched for those of a process that stops',
  ],
  ['FROM "bot"."spend_day"', 'reports and the balance add up the sums of days'],
  ['AS history', 'a history is read whole, as one row'],
  ['"t0"."role" <> CAST(', 'a page of a history takes as long as its conversation'],
  ['AS "firstWords"', 'the cost of each listed conversation is the sum of its turns'],
  ['first_name COLLATE', 'a search reads all names'],
  ['(SELECT "bot"."user"."id" FROM', 'all users are counted'],
  ['GROUP BY "bot"."order"."state"', 'all open orders are counted by state'],
]

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows'?: number
  'Actual Loops'?: number
  'Rows Removed by Filter'?: number
  'Rows Removed by Join Filter'?: number
  Plans?: PlanNode[]
}

test('no query reads more of a grown database than it needs', async () => {
  const dataDir = await makeFolder()
  const url = await createTestDatabase()
  const { pool, close } = openTestDatabase({ url })
  onTestFinished(close)
  const watcher = await pool.connect()
  await growDatabase(watcher)
  const spend = { use: 'kopeck spend', env: { DATABASE_URL: url }, print: () => {} }
  await createSpendProgram(spend).parseAsync(['rebuild'], { from: 'user' })
  await watcher.query('VACUUM ANALYZE')
  const readPlans = await recordPlans(watcher)

  const telegram = await openTelegram({ flood: 'off' })
  const kopeck = await startKopeck({
    ...telegram.env,
    DATABASE_URL: url,
    DATA_DIR: dataDir,
    ADMIN_IDS: String(READER),
    SEND_LIMITS: JSON.stringify(SEND_LIMITS),
  })
  onTestFinished(async () => {
    await kopeck.kill()
    await telegram.close()
  })
  for (const words of WORDS.split('; ')) await write(words)
  await useService(url, kopeck.address)
  await kopeck.stop()
  watcher.release()

  const needless = new Set<string>()
  const excused = new Set<string>()
  for await (const { statement, rows, rowsRead } of readPlans()) {
    if (rowsRead <= READ_MAX + READ_PER_ROW * rows) continue
    const [part] = READS_MORE.find(([each]) => statement.includes(each)) ?? []
    if (part === undefined) needless.add(`${rowsRead} rows for ${rows}: ${statement}`)
    else excused.add(part)
  }
  expect([...needless]).toEqual([])
  expect([...excused].toSorted()).toEqual(READS_MORE.map(([part]) => part).toSorted())

  async function write(words: string): Promise<void> {
    const sentId = telegram.say(READER, words)
    await expect.poll(() => telegram.answers(READER, sentId).length, AT_REST).toBeGreaterThan(0)
    await expect.poll(isAtRest, AT_REST).toBe(true)
  }

  async function isAtRest(): Promise<boolean> {
    const { rows } = await watcher.query(
      `SELECT NOT EXISTS (SELECT FROM bot.update WHERE handled_at IS NULL)
         AND NOT EXISTS (SELECT FROM bot.turn WHERE ended_at IS NULL OR lease_owner IS NOT NULL)
         AND NOT EXISTS (SELECT FROM bot."order" WHERE ended_at IS NULL AND state <> 'draft' AND user_id = $1) AS at_rest`,
      [READER],
    )
    return rows[0]?.at_rest === true
  }
}, 600_000)

/** Uses the service as a customer, and the commands of an operator. */
async function useService(url: string, root: string): Promise<void> {
  const created = await runAccount(url, 'create', '--name', 'customer', '--credit', '1000')
  const { api_key: key } = JSON.parse(created) as { api_key: string }
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const messages = [{ role: 'user', content: 'Hi' }]
  const body = JSON.stringify({ model: 'alpha-large', messages })
  const chat = await fetch(`${root}/api/v1/chats/completions`, { method: 'POST', headers, body })
  expect(chat.status).toBe(200)
  for (const path of ['balance', 'key', 'chats/models', 'callback/secret']) {
    expect((await fetch(`${root}/api/v1/${path}`, { headers })).status).toBe(200)
  }
  await runAccount(url, 'history', '7')
}

/** Makes the server log the plans of all statements of new sessions. @returns A reader of these plans. */
async function recordPlans(client: pg.PoolClient) {
  const { rows } = await client.query<{ database: string; directory: string }>(
    `SELECT current_database() AS database, current_setting('data_directory') AS directory`,
  )
  const settings = {
    session_preload_libraries: 'auto_explain',
    'auto_explain.log_min_duration': '0',
    'auto_explain.log_format': 'json',
    'auto_explain.log_analyze': 'on',
    'auto_explain.log_timing': 'off',
    'auto_explain.log_nested_statements': 'on',
    'auto_explain.log_parameter_max_length': '0',
    // From the sixth run of a named statement on, PostgreSQL may plan it for no values in particular.
    plan_cache_mode: 'force_generic_plan',
  }
  for (const [name, value] of Object.entries(settings)) {
    await client.query(`ALTER DATABASE ${rows[0]?.database} SET ${name} = '${value}'`)
  }
  const logFile = join(rows[0]?.directory ?? '', 'server.log')
  const { size: start } = await stat(logFile)
  return () => readPlans(logFile, start)
}

async function* readPlans(logFile: string, start: number) {
  const log = await open(logFile)
  let json: string | undefined
  // The lines of an entry begin with a tab, except the first.
  for await (const line of log.readLines({ start })) {
    if (line.startsWith('\t')) {
      if (json !== undefined) json += line
      continue
    }
    if (json !== undefined) yield toPlan(json)
    json = / duration: [\d.]+ ms {2}plan:$/.test(line) ? '' : undefined
  }
  if (json !== undefined) yield toPlan(json)
}

/** @returns The statement, and the rows that it returned or changed, and read in tables and indexes. */
function toPlan(json: string) {
  const { 'Query Text': text, Plan: root } = JSON.parse(json) as {
    'Query Text': string
    Plan: PlanNode
  }
  const nodes = [...allNodes(root)]
  const changed = nodes.filter((node) => node['Node Type'] === 'ModifyTable')
  const returned = [root, ...changed.flatMap(({ Plans = [] }) => Plans)]
  return {
    statement: text.replaceAll(/\s+/g, ' ').trim(),
    rows: Math.max(...returned.map((node) => node['Actual Rows'] ?? 0)),
    rowsRead: nodes.map(rowsReadBy).reduce((total, count) => total + count, 0),
  }
}

function* allNodes(node: PlanNode): Generator<PlanNode> {
  yield node
  for (const part of node.Plans ?? []) yield* allNodes(part)
}

function rowsReadBy(node: PlanNode): number {
  const loops = node['Actual Loops'] ?? 1
  const passedOver = node['Rows Removed by Join Filter'] ?? 0
  const isScan = node['Relation Name'] !== undefined && node['Node Type'].endsWith(' Scan')
  const scanned = (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)
  return loops * (passedOver + (isScan ? scanned : 0))
}
