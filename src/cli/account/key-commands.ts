import type { Command } from 'commander'
import { formatRub, toWireRub } from '../../contract/money.ts'
import { toModelName } from '../../contract/tasks.ts'
import { ConfigError, readConfig, readTimeZone } from '../../process/config/config.ts'
import { findAccount } from '../../service/ledger/accounts.ts'
import {
  type ApiKey,
  changeApiKey,
  createApiKey,
  listApiKeys,
  revokeApiKey,
} from '../../service/ledger/keys/api-keys.ts'
import { writeJson, writeTable, writeTime } from '../command-line/write-output.ts'
import type { AccountDeps } from './account-deps.ts'
import { ACCOUNT_ID, isClosed, noAccount, readAccountId } from './arguments.ts'
import { addKeyTermsOptions, type KeyTermsOptions, toKeyTerms } from './key-terms-options.ts'

const KEY = 'the whole key, or its key_id'

const COLUMNS = [
  { head: 'key' },
  { head: 'name' },
  { head: 'state' },
  { head: 'expires' },
  { head: 'spent, RUB', isNumber: true },
  { head: 'limit, RUB', isNumber: true },
  { head: 'a minute', isNumber: true },
  { head: 'models' },
  { head: 'last used' },
]

/** Adds the commands that make, show, change and close the API keys of accounts. */
export function addKeyCommands(program: Command, { env, print, onDatabase }: AccountDeps): void {
  addKeyTermsOptions(
    program
      .command('create-key')
      .description('make one more API key, which is printed this once')
      .argument('<ACCOUNT_ID>', ACCOUNT_ID, readAccountId),
  ).action(createKey)
  program
    .command('keys')
    .description('show the API keys of an account: what each may do and has spent')
    .argument('<ACCOUNT_ID>', ACCOUNT_ID, readAccountId)
    .option('--all', 'show the revoked ones too')
    .option('--json', 'print JSON')
    .action(keys)
  addKeyTermsOptions(
    program
      .command('change-key')
      .description('change what an API key may do, from the next request on')
      .argument('<KEY>', KEY),
  ).action(changeKey)
  program
    .command('revoke-key')
    .description('close an API key for good')
    .argument('<KEY>', KEY)
    .action(revokeKey)

  async function createKey(accountId: number, options: KeyTermsOptions): Promise<void> {
    const timeZone = readTimeZone(env)
    const key = await onDatabase(async (pool) => {
      const account = await findAccount(pool, accountId)
      if (account === undefined) throw noAccount(accountId)
      if (account.state === 'closed') throw isClosed(accountId)
      return await createApiKey(pool, accountId, await toKeyTerms(pool, options, timeZone))
    })
    print(writeJson({ account_id: accountId, api_key: key, ...reportUnknown(options) }))
  }

  async function keys(
    accountId: number,
    { all = false, json = false }: { all?: boolean; json?: boolean },
  ): Promise<void> {
    const timeZone = readTimeZone(env)
    const listed = await onDatabase(async (pool) => {
      if ((await findAccount(pool, accountId)) === undefined) throw noAccount(accountId)
      return await listApiKeys(pool, accountId)
    })
    const shown = listed.filter(({ state }) => all || state !== 'revoked')
    if (json) return print(writeJson({ account_id: accountId, keys: shown.map(toJson) }))
    print(
      writeTable(
        COLUMNS,
        shown.map((key) => toCells(key, timeZone)),
      ),
    )
  }

  async function changeKey(key: string, options: KeyTermsOptions): Promise<void> {
    if (Object.keys(options).length === 0) {
      throw new Error(
        'Say what to change: --name, --expires, --spend-limit, --spend-period, --rate or --models',
      )
    }
    const timeZone = readTimeZone(env)
    const changed = await onDatabase(async (pool) => {
      const keyId = await changeApiKey(pool, key, await toKeyTerms(pool, options, timeZone))
      return (await listApiKeys(pool)).find(({ publicId }) => publicId === keyId)
    })
    if (changed === undefined) throw new Error('There is no such key, or it is revoked')
    const { accountId } = changed
    print(writeJson({ account_id: accountId, ...toJson(changed), ...reportUnknown(options) }))
  }

  function reportUnknown({ models = 'all' }: KeyTermsOptions): { unknown_models?: string[] } {
    const unknown = models === 'all' ? [] : findUnknownModels(models, env)
    return unknown.length === 0 ? {} : { unknown_models: unknown }
  }

  async function revokeKey(key: string): Promise<void> {
    const revoked = await onDatabase((pool) => revokeApiKey(pool, key))
    if (revoked === undefined) throw new Error('There is no such key')
    const { accountId, publicId } = revoked
    print(writeJson({ account_id: accountId, key_id: publicId, revoked: true }))
  }
}

function toCells(key: ApiKey, timeZone: string): string[] {
  const { publicId, name, state, expiresAt } = key
  return [
    publicId,
    name ?? '',
    state,
    expiresAt === null ? 'never' : writeTime(expiresAt, timeZone),
    formatRub(key.countedMicroRub),
    writeLimit(key),
    key.requestsPerMinute === null ? '' : String(key.requestsPerMinute),
    key.models?.join(',') ?? 'all',
    key.lastUsedAt === null ? 'never' : writeTime(key.lastUsedAt, timeZone),
  ]
}

function writeLimit({ spendLimitMicroRub, spendPeriod }: ApiKey): string {
  const limit = spendLimitMicroRub === null ? 'none' : formatRub(spendLimitMicroRub)
  return spendPeriod === null ? limit : `${limit} a ${spendPeriod.unit}`
}

function toJson(key: ApiKey) {
  const { spendLimitMicroRub, spendPeriod } = key
  return {
    key_id: key.publicId,
    name: key.name,
    state: key.state,
    expires_at: key.expiresAt?.toISOString() ?? null,
    spend_limit_rub: spendLimitMicroRub === null ? null : toWireRub(spendLimitMicroRub),
    spend_period: spendPeriod?.unit ?? null,
    renews_at: key.renewsAt?.toISOString() ?? null,
    spent_rub: toWireRub(key.spentMicroRub),
    period_spent_rub: spendPeriod === null ? null : toWireRub(key.countedMicroRub),
    requests_per_minute: key.requestsPerMinute,
    models: key.models,
    created_at: key.createdAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
  }
}

/**
 * Finds names that are most likely misspelt: SERVICE_CONFIG, or what the service sells without one, has no such
 * model. A key may be made for one that is to come, and the service may have its config elsewhere.
 *
 * @returns None where the config cannot be read.
 */
function findUnknownModels(models: readonly string[], env: NodeJS.ProcessEnv): string[] {
  const known = readKnownModels(env)
  return known === undefined ? [] : models.filter((model) => !known.has(model))
}

function readKnownModels(env: NodeJS.ProcessEnv): ReadonlySet<string> | undefined {
  try {
    const { chat, generation } = readConfig(env, ['service']).service
    const paths = Object.keys(generation)
    return new Set([...chat.models.map(({ id }) => id), ...paths.map(toModelName)])
  } catch (error) {
    if (error instanceof ConfigError) return undefined
    throw error
  }
}
