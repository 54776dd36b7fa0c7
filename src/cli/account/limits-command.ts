import { type Command, Option } from 'commander'
import { CREATION_PATHS } from '../../contract/tasks.ts'
import { CHAT_LIMIT, creationLimit } from '../../service/http/rate-limit.ts'
import { findAccount } from '../../service/ledger/accounts.ts'
import { dropOwnLimits, readOwnLimits, setOwnLimits } from '../../service/ledger/own-limits.ts'
import { inTransaction } from '../../service/ledger/sql.ts'
import { writeJson, writeTable } from '../command-line/write-output.ts'
import type { AccountDeps } from './account-deps.ts'
import { ACCOUNT_ID, noAccount, readAccountId } from './arguments.ts'

/** A thousand a second, which is more than one account's row bears. */
const REQUESTS_MAX = 60_000

const LIMITS = {
  chat: CHAT_LIMIT,
  video: creationLimit(CREATION_PATHS.video),
  image: creationLimit(CREATION_PATHS.image),
  sound: creationLimit(CREATION_PATHS.sound),
} as const

const KINDS = Object.keys(LIMITS) as (keyof typeof LIMITS)[]

const COLUMNS = [
  { head: 'kind' },
  { head: 'a minute', isNumber: true },
  { head: 'others have', isNumber: true },
]

type LimitOptions = Partial<Record<keyof typeof LIMITS, number>> & {
  default?: boolean
  json?: boolean
}

/** Adds the command that shows and changes how often one account may ask. */
export function addLimitsCommand(program: Command, { print, onDatabase }: AccountDeps): void {
  const command = program
    .command('limits')
    .description('show or change how many requests a minute an account may make')
    .argument('<ACCOUNT_ID>', ACCOUNT_ID, readAccountId)
  for (const kind of KINDS) {
    command.option(
      `--${kind} <N>`,
      `${kind} requests a minute (others have ${LIMITS[kind].requestsMax})`,
      readRequests,
    )
  }
  command
    .addOption(new Option('--default', 'let it have what others have').conflicts(KINDS))
    .option('--json', 'print JSON')
    .action(limits)

  async function limits(accountId: number, options: LimitOptions): Promise<void> {
    const own = await onDatabase((pool) =>
      inTransaction(pool, async (sql) => {
        if ((await findAccount(sql, accountId)) === undefined) throw noAccount(accountId)
        if (options.default) await dropOwnLimits(sql, accountId)
        await setOwnLimits(sql, accountId, toOwnLimits(options))
        return await readOwnLimits(sql, accountId)
      }),
    )
    const rows = KINDS.map((kind) => {
      const { route, requestsMax } = LIMITS[kind]
      return { kind, ofAccount: own.get(route) ?? requestsMax, ofOthers: requestsMax }
    })
    if (!options.json) {
      const cells = rows.map(({ kind, ofAccount, ofOthers }) => [
        kind,
        `${ofAccount}`,
        `${ofOthers}`,
      ])
      return print(writeTable(COLUMNS, cells))
    }
    const aMinute = Object.fromEntries(rows.map(({ kind, ofAccount }) => [kind, ofAccount]))
    print(writeJson({ account_id: accountId, requests_a_minute: aMinute }))
  }
}

function toOwnLimits(options: LimitOptions): ReadonlyMap<string, number> {
  const given = KINDS.map((kind) => [LIMITS[kind].route, options[kind]] as const)
  return new Map(given.flatMap(([route, max]) => (max === undefined ? [] : [[route, max]])))
}

function readRequests(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text) && Number(text) <= REQUESTS_MAX) return Number(text)
  throw new Error(`Requests a minute should be a whole number from 1 to ${REQUESTS_MAX}`)
}
