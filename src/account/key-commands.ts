import type { Command } from 'commander'
import { writeJson } from '../command-line/write-json.ts'
import { findAccount } from '../service/ledger/accounts.ts'
import { createApiKey, revokeApiKey } from '../service/ledger/api-keys.ts'
import type { AccountDeps } from './account-deps.ts'
import { ACCOUNT_ID, noAccount, readAccountId } from './arguments.ts'

/** Adds what makes and closes the API keys of accounts. */
export function addKeyCommands(program: Command, { print, onDatabase }: AccountDeps): void {
  program
    .command('create-key')
    .description('make one more API key, which is printed this once')
    .argument('<ACCOUNT_ID>', ACCOUNT_ID, readAccountId)
    .action(createKey)
  program
    .command('revoke-key')
    .description('close an API key for good')
    .argument('<KEY>', 'the whole key, or its key_id')
    .action(revokeKey)

  async function createKey(accountId: number): Promise<void> {
    const key = await onDatabase(async (pool) => {
      if ((await findAccount(pool, accountId)) === undefined) throw noAccount(accountId)
      return await createApiKey(pool, accountId)
    })
    print(writeJson({ account_id: accountId, api_key: key }))
  }

  async function revokeKey(key: string): Promise<void> {
    const revoked = await onDatabase((pool) => revokeApiKey(pool, key))
    if (revoked === undefined) throw new Error('There is no such key')
    const { accountId, publicId } = revoked
    print(writeJson({ account_id: accountId, key_id: publicId, revoked: true }))
  }
}
