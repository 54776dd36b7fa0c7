import type { Command } from 'commander'
import pg from 'pg'
import { writeJson } from '../command-line/write-json.ts'
import { formatRub, toWireRub } from '../contract/money.ts'
import { creditAccount } from '../service/ledger/accounts.ts'
import type { AccountDeps } from './account-deps.ts'
import { noAccount, readAccountId, readSomeRub } from './arguments.ts'

const NUMERIC_OUT_OF_RANGE = '22003'

/** Adds what puts money into accounts, and shows what moved. */
export function addMoneyCommands(program: Command, { print, onDatabase }: AccountDeps): void {
  program
    .command('credit')
    .description('put roubles into an account')
    .argument('<ACCOUNT_ID>', 'the number that create and list print', readAccountId)
    .argument('<RUB>', 'roubles, at most 6 decimal places', readSomeRub)
    .action(credit)

  async function credit(accountId: number, amountMicroRub: bigint): Promise<void> {
    const account = await onDatabase((pool) =>
      creditAccount(pool, { accountId, amountMicroRub }),
    ).catch((error: unknown) => {
      if (!(error instanceof pg.DatabaseError && error.code === NUMERIC_OUT_OF_RANGE)) throw error
      throw new Error(`Account ${accountId} cannot hold ${formatRub(amountMicroRub)} RUB more`)
    })
    if (account === undefined) throw noAccount(accountId)
    print(writeJson({ account_id: account.id, balance_rub: toWireRub(account.balanceMicroRub) }))
  }
}
