import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'

/** The work of PostgreSQL for one statement, by its own account. */
export interface Plan {
  /** The statement, its white space folded. */
  statement: string
  /** How long its execution took, without the way to the client and back. */
  ms: number
  /** How many rows were returned, or changed. */
  rows: number
  /**
   * How many rows were looked at in tables, indexes and results of subqueries, with those that did not match: a row
   * counts each time that a join comes to it.
   */
  rowsRead: number
  /** Tables that were read in no order, from the beginning, and how many of their rows at least. */
  scanned: ReadonlyMap<string, number>
}

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  Schema?: string
  'Actual Rows'?: number
  'Actual Loops'?: number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  'Rows Removed by Join Filter'?: number
  Plans?: PlanNode[]
}

/** Includes the statements that run within others: foreign keys are looked up by statements. */
const SETTINGS = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_format': 'json',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_buffers': 'off',
  'auto_explain.log_verbose': 'on',
  'auto_explain.log_nested_statements': 'on',
  'auto_explain.log_parameter_max_length': '0',
}

/**
 * Has the server log the plan of every statement that any process runs in a database, as it was carried out.
 * Sessions that are open already are left out.
 *
 * @returns A reader of the plans that were logged since. One by one: they are large.
 */
export async function recordPlans(pool: pg.Pool): Promise<() => AsyncGenerator<Plan>> {
  const { rows } = await pool.query<{ database: string; directory: string }>(
    `SELECT current_database() AS database, current_setting('data_directory') AS directory`,
  )
  const [{ database, directory } = { database: '', directory: '' }] = rows
  for (const [name, value] of Object.entries(SETTINGS)) {
    await pool.query(`ALTER DATABASE ${database} SET ${name} = '${value}'`)
  }
  const logFile = join(directory, 'server.log')
  const log = await open(logFile)
  const { size: start } = await log.stat()
  await log.close()
  return () => readPlans(logFile, start)
}

async function* readPlans(logFile: string, start: number): AsyncGenerator<Plan> {
  const log = await open(logFile)
  let ms: number | undefined
  let json = ''
  // The lines of one entry begin with a tab, but for the first.
  for await (const line of log.readLines({ start })) {
    if (line.startsWith('\t')) {
      if (ms !== undefined) json += line
      continue
    }
    if (ms !== undefined) yield toPlan(ms, json)
    const [, duration] = / duration: ([\d.]+) ms {2}plan:$/.exec(line) ?? []
    ms = duration === undefined ? undefined : Number(duration)
    json = ''
  }
  if (ms !== undefined) yield toPlan(ms, json)
}

function toPlan(ms: number, json: string): Plan {
  const { 'Query Text': text, Plan: root } = JSON.parse(json) as {
    'Query Text': string
    Plan: PlanNode
  }
  const statement = text.replaceAll(/\s+/g, ' ').trim()
  const nodes = [...allNodes(root)]
  const scans = nodes.filter((node) => node['Node Type'].endsWith(' Scan') && isOfTable(node))
  const ofSubqueries = nodes.filter((node) => node['Node Type'] === 'CTE Scan')
  const scanned = scans.filter((node) => node['Node Type'] === 'Seq Scan')
  // What is changed is not given back, mostly.
  const changed = nodes.filter((node) => node['Node Type'] === 'ModifyTable').flatMap(partsOf)
  const rows = Math.max(...[root, ...changed].map(({ 'Actual Rows': some = 0 }) => some))
  return {
    statement,
    ms,
    rows,
    scanned: new Map(scanned.map((node) => [tableOf(node), rowsReadBy(node)])),
    rowsRead: sum([...[...scans, ...ofSubqueries].map(rowsReadBy), ...nodes.map(rowsPassedOver)]),
  }
}

function* allNodes(node: PlanNode): Generator<PlanNode> {
  yield node
  for (const part of node.Plans ?? []) yield* allNodes(part)
}

function partsOf({ Plans: parts = [] }: PlanNode): PlanNode[] {
  return parts
}

function isOfTable({ 'Relation Name': name }: PlanNode): boolean {
  return name !== undefined
}

function tableOf({ Schema: schema, 'Relation Name': name }: PlanNode): string {
  return `${schema}.${name}`
}

/** How many pairs of rows a join looked at for nothing. */
function rowsPassedOver(node: PlanNode): number {
  return (node['Rows Removed by Join Filter'] ?? 0) * (node['Actual Loops'] ?? 1)
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}

function rowsReadBy(node: PlanNode): number {
  const { 'Actual Rows': rows = 0, 'Actual Loops': loops = 1 } = node
  const removed =
    (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  return (rows + removed) * loops
}
