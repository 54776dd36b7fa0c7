import { parseArgs } from 'node:util'
import pg from 'pg'
import { formatRub, parseRub, toWireRub } from './contract/money.ts'
import { joinDatabase } from './database/embedded/join-database.ts'
import { migrate } from './database/migrate.ts'
import { readEnvironment } from './environment.ts'
import {
  createAccount,
  creditAccount,
  findAccount,
  listAccounts,
} from './service/ledger/accounts.ts'
import { createApiKey, listApiKeys, revokeApiKey } from './service/ledger/api-keys.ts'
import { inTransaction } from './service/ledger/sql.ts'

const USAGE =
  'Use: npm run account -- create --name NAME [--credit RUB] | credit ACCOUNT_ID RUB | list | create-key ACCOUNT_ID | revoke-key KEY'

const ACCOUNT_ID_MAX = 2 ** 31 - 1
const NAME_CHARS_MAX = 200
const NUMERIC_OUT_OF_RANGE = '22003'

/** Does what a command says. @returns What to print, as one JSON line. */
type Command = (pool: pg.Pool) => Promise<object>

/** `npm run account`: accounts of the service, their money and their keys. */
async function run(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const command = readCommand(args)
  const { url, stop } = await joinDatabase(env)
  try {
    await migrate(url)
    const pool = new pg.Pool({ connectionString: url, max: 1 })
    try {
      process.stdout.write(`${JSON.stringify(await command(pool))}\n`)
    } finally {
      await pool.end()
    }
  } finally {
    await stop()
  }
}

/** @throws {Error} One sentence for the operator, if the command is none. */
function readCommand(args: string[]): Command {
  const { values, positionals } = readArgs(args)
  const [name, first = '', second = ''] = positionals
  switch (`${name}/${positionals.length}`) {
    case 'create/1':
      return create(readName(values.name), readRub(values.credit ?? '0'))
    case 'credit/3':
      return credit(readAccountId(first), readRub(second))
    case 'list/1':
      return list
    case 'create-key/2':
      return createKey(readAccountId(first))
    case 'revoke-key/2':
      return revokeKey(first)
    default:
      throw new Error(USAGE)
  }
}

function create(name: string, creditMicroRub: bigint): Command {
  return (pool) =>
    inTransaction(pool, async (sql) => {
      const { id } = await createAccount(sql, { name, creditMicroRub })
      return { account_id: id, api_key: await createApiKey(sql, id) }
    })
}

function credit(accountId: number, amountMicroRub: bigint): Command {
  return async (pool) => {
    if (amountMicroRub === 0n) throw new Error('RUB should be more than 0')
    try {
      const account = await creditAccount(pool, { accountId, amountMicroRub })
      if (account === undefined) throw noAccount(accountId)
      return { account_id: account.id, balance_rub: toWireRub(account.balanceMicroRub) }
    } catch (error) {
      if (!(error instanceof pg.DatabaseError && error.code === NUMERIC_OUT_OF_RANGE)) throw error
      throw new Error(`Account ${accountId} cannot hold ${formatRub(amountMicroRub)} RUB more`)
    }
  }
}

async function list(pool: pg.Pool): Promise<object> {
  const accounts = await listAccounts(pool)
  const keys = await listApiKeys(pool)
  return {
    accounts: accounts.map(({ id, name, balanceMicroRub }) => ({
      account_id: id,
      name,
      balance_rub: toWireRub(balanceMicroRub),
      keys: keys
        .filter(({ accountId }) => accountId === id)
        .map(({ publicId, revoked, lastUsedAt }) => ({
          key_id: publicId,
          revoked,
          last_used_at: lastUsedAt?.toISOString() ?? null,
        })),
    })),
  }
}

function createKey(accountId: number): Command {
  return async (pool) => {
    if ((await findAccount(pool, accountId)) === undefined) throw noAccount(accountId)
    return { account_id: accountId, api_key: await createApiKey(pool, accountId) }
  }
}

function revokeKey(key: string): Command {
  return async (pool) => {
    const revoked = await revokeApiKey(pool, key)
    if (revoked === undefined) throw new Error('There is no such key')
    return { account_id: revoked.accountId, key_id: revoked.publicId, revoked: true }
  }
}

function readArgs(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: { name: { type: 'string' }, credit: { type: 'string' } },
    })
  } catch {
    throw new Error(USAGE)
  }
}

function readName(name: string | undefined): string {
  if (name !== undefined && name.trim() !== '' && name.length <= NAME_CHARS_MAX) return name
  throw new Error(`--name should be a text of 1 to ${NAME_CHARS_MAX} characters`)
}

function readRub(text: string): bigint {
  const microRub = parseRub(text)
  if (microRub !== undefined && microRub >= 0n) return microRub
  throw new Error('RUB should be a decimal number of roubles, at most 6 places')
}

function readAccountId(text: string): number {
  if (/^[1-9]\d{0,9}$/.test(text) && Number(text) <= ACCOUNT_ID_MAX) return Number(text)
  throw new Error('ACCOUNT_ID should be the number that create and list print')
}

function noAccount(accountId: number): Error {
  return new Error(`There is no account ${accountId}`)
}

try {
  await run(process.argv.slice(2), readEnvironment())
} catch (error) {
  const [sentence = ''] = (error as Error).message.split('\n')
  process.stderr.write(`${sentence || 'The database cannot be reached'}\n`)
  process.exitCode = 2
}
