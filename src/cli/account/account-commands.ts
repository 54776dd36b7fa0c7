import type { Command } from 'commander'
import { formatRub, toWireRub } from '../../contract/money.ts'
import { createAccount, listAccounts, renameAccount } from '../../service/ledger/accounts.ts'
import { createApiKey, listApiKeys } from '../../service/ledger/keys/api-keys.ts'
import { inTransaction } from '../../service/ledger/sql.ts'
import { writeJson, writeTable } from '../command-line/write-output.ts'
import type { AccountDeps } from './account-deps.ts'
import { ACCOUNT_ID, noAccount, readAccountId, readName, readRoubles } from './arguments.ts'

/** Adds the commands that make, show and change accounts. */
export function addAccountCommands(program: Command, { print, onDatabase }: AccountDeps): void {
  program
    .command('create')
    .description('make an account and its first API key, which is printed this once')
    .requiredOption('--name <NAME>', 'what the account is called, by nobody else', readName)
    .option('--credit <RUB>', 'what it begins with, in roubles', readRoubles)
    .action(create)
  program
    .command('rename')
    .description('give an account another name')
    .argument('<ACCOUNT_ID>', ACCOUNT_ID, readAccountId)
    .argument('<NAME>', 'what it is called from then on, by nobody else', readName)
    .action(rename)
  program
    .command('list')
    .description('show every account and what it has')
    .option('--json', 'print JSON, with the keys of each')
    .action(list)

  async function create({ name, credit = 0n }: { name: string; credit?: bigint }): Promise<void> {
    const created = await onDatabase((pool) =>
      inTransaction(pool, async (sql) => {
        const { id } = await createAccount(sql, { name, creditMicroRub: credit })
        return { account_id: id, api_key: await createApiKey(sql, id) }
      }),
    )
    print(writeJson(created))
  }

  async function rename(accountId: number, name: string): Promise<void> {
    const account = await onDatabase((pool) => renameAccount(pool, { accountId, name }))
    if (account === undefined) throw noAccount(accountId)
    print(writeJson({ account_id: accountId, name: account.name }))
  }

  async function list({ json = false }: { json?: boolean }): Promise<void> {
    const { accounts, keys } = await onDatabase(async (pool) => ({
      accounts: await listAccounts(pool),
      keys: await listApiKeys(pool),
    }))
    const keysOf = (id: number) => keys.filter(({ accountId }) => accountId === id)
    const openKeysOf = (id: number) => keysOf(id).filter((key) => key.state === 'valid').length
    if (!json) {
      const rows = accounts.map(({ id, name, state, balanceMicroRub }) => [
        String(id),
        formatRub(balanceMicroRub),
        state,
        String(openKeysOf(id)),
        name,
      ])
      return print(writeTable(COLUMNS, rows))
    }
    print(
      writeJson({
        accounts: accounts.map(({ id, name, state, balanceMicroRub }) => ({
          account_id: id,
          name,
          state,
          balance_rub: toWireRub(balanceMicroRub),
          keys: keysOf(id).map(({ publicId, state, lastUsedAt }) => ({
            key_id: publicId,
            revoked: state === 'revoked',
            last_used_at: lastUsedAt?.toISOString() ?? null,
          })),
        })),
      }),
    )
  }
}

const COLUMNS = [
  { head: 'account', isNumber: true },
  { head: 'balance, RUB', isNumber: true },
  { head: 'state' },
  { head: 'keys', isNumber: true },
  { head: 'name' },
]
