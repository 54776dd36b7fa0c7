import type { Command } from 'commander'
import { toWireRub } from '../../contract/money.ts'
import { type AccountState, setAccountState } from '../../service/ledger/accounts.ts'
import { writeJson } from '../command-line/write-output.ts'
import type { AccountDeps } from './account-deps.ts'
import { ACCOUNT_ID, isClosed, noAccount, readAccountId } from './arguments.ts'

/** Adds the commands that stop accounts, for a while or for good. */
export function addStateCommands(program: Command, { print, onDatabase }: AccountDeps): void {
  addCommand('freeze', 'frozen', 'let an account spend nothing for a while; it can still read')
  addCommand('unfreeze', 'open', 'let a frozen account spend again')
  addCommand('close', 'closed', 'close an account for good: no API key opens it')

  function addCommand(name: string, state: AccountState, summary: string): void {
    program
      .command(name)
      .summary(summary)
      .description(`${summary}. Requests and tasks that are under way go on to their ends.`)
      .argument('<ACCOUNT_ID>', ACCOUNT_ID, readAccountId)
      .action((accountId: number) => setState(accountId, state))
  }

  async function setState(accountId: number, state: AccountState): Promise<void> {
    const account = await onDatabase((pool) => setAccountState(pool, { accountId, state }))
    if (account === undefined) throw noAccount(accountId)
    if (account.state !== state) throw isClosed(accountId)
    const { balanceMicroRub } = account
    print(writeJson({ account_id: accountId, state, balance_rub: toWireRub(balanceMicroRub) }))
  }
}
