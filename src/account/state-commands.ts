import type { Command } from 'commander'
import { writeJson } from '../command-line/write-json.ts'
import { toWireRub } from '../contract/money.ts'
import { type AccountState, setAccountState } from '../service/ledger/accounts.ts'
import type { AccountDeps } from './account-deps.ts'
import { ACCOUNT_ID, noAccount, readAccountId } from './arguments.ts'

/** Adds what stops accounts, for a while or for good. */
export function addStateCommands(program: Command, { print, onDatabase }: AccountDeps): void {
  addCommand(
    'freeze',
    'frozen',
    'let an account spend nothing for a while (403); it can still read',
  )
  addCommand('unfreeze', 'open', 'let a frozen account spend again')
  addCommand('close', 'closed', 'close an account for good: no API key opens it (401)')

  function addCommand(name: string, state: AccountState, description: string): void {
    program
      .command(name)
      .description(`${description}; what is under way goes on to its end`)
      .argument('<ACCOUNT_ID>', ACCOUNT_ID, readAccountId)
      .action((accountId: number) => setState(accountId, state))
  }

  async function setState(accountId: number, state: AccountState): Promise<void> {
    const account = await onDatabase((pool) => setAccountState(pool, { accountId, state }))
    if (account === undefined) throw noAccount(accountId)
    if (account.state !== state)
      throw new Error(`Account ${accountId} is closed, which is for good`)
    print(
      writeJson({ account_id: accountId, state, balance_rub: toWireRub(account.balanceMicroRub) }),
    )
  }
}
