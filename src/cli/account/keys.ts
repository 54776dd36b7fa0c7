import type pg from 'pg'
import { readTimeZone } from '../../process/config.ts'
import {
  changeApiKey,
  createApiKey,
  type KeyTerms,
  type ListedKey,
  listApiKeys,
  revokeApiKey,
} from '../../service/ledger/api-keys.ts'
import { endOfDay } from '../../service/ledger/reports.ts'
import type { Sql } from '../../service/ledger/sql.ts'
import { type Field, toJson, writeTable } from '../output.ts'
import type { Add, CommandContext } from '../program.ts'
import { refuseClosed, requireAccount } from './arguments.ts'

const FIELDS: readonly Field<ListedKey>[] = [
  { name: 'key_id', head: 'key', read: ({ publicId }) => publicId },
  { name: 'name', head: 'name', read: ({ name }) => name },
  { name: 'state', head: 'state', read: ({ state }) => state },
  { name: 'expires_at', read: ({ expiresAt }) => expiresAt },
  { head: 'expires', read: ({ expiresAt }) => expiresAt ?? 'never' },
  { name: 'spend_limit_rub', read: ({ spendLimitMicroRub }) => spendLimitMicroRub },
  { name: 'spent_rub', head: 'spent, RUB', read: ({ spentMicroRub }) => spentMicroRub },
  { head: 'limit, RUB', read: ({ spendLimitMicroRub }) => spendLimitMicroRub ?? 'none' },
  { name: 'requests_per_minute', head: 'a minute', read: (key) => key.requestsPerMinute },
  { name: 'models', read: ({ models }) => models },
  { head: 'models', read: ({ models }) => models ?? 'all' },
  { name: 'created_at', read: ({ createdAt }) => createdAt },
  { name: 'last_used_at', read: ({ lastUsedAt }) => lastUsedAt },
  { head: 'last used', read: ({ lastUsedAt }) => lastUsedAt ?? 'never' },
]

/** Options that set the terms of a key; false removes a term. */
interface TermOptions {
  name?: string
  expires?: string | false
  spendLimit?: bigint | false
  rate?: number | false
  models?: string[] | false
}

const TERM_OPTIONS = {
  '--name <NAME>': 'purpose or owner',
  '--expires <DAY|never>': 'last day in TIME_ZONE, such as 2027-01-31',
  '--spend-limit <RUB|none>': 'most roubles that the key may spend',
  '--rate <N|none>': 'chats a minute, within the limit of the account',
  '--models <MODELS|all>': 'allowed models, separated by commas, such as alpha-large,vidgen',
}

export function addKeyCommands(add: Add, { env }: CommandContext): void {
  add(
    'create-key <ACCOUNT_ID>',
    'another API key, which is shown only once',
    createKey,
    TERM_OPTIONS,
  )
  add('keys <ACCOUNT_ID>', 'API keys of an account with terms and spend', keys, {
    '--all': 'revoked keys, too',
    '--json': 'JSON',
  })
  add('change-key <KEY>', 'new terms for an API key or its key_id', changeKey, TERM_OPTIONS)
  add('revoke-key <KEY>', 'permanent end of an API key, given whole or by key_id', revokeKey)

  async function createKey(pool: pg.Pool, accountId: number, options: TermOptions) {
    const { state } = await requireAccount(pool, accountId)
    if (state === 'closed') refuseClosed(accountId)
    const key = await createApiKey(pool, accountId, await toTerms(pool, options, readTimeZone(env)))
    return { account_id: accountId, api_key: key }
  }

  async function keys(
    pool: pg.Pool,
    accountId: number,
    { all, json }: { all?: true; json?: true },
  ) {
    await requireAccount(pool, accountId)
    const listed = await listApiKeys(pool, accountId)
    const shown = listed.filter(({ state }) => all || state !== 'revoked')
    if (!json) return writeTable(FIELDS, shown, { timeZone: readTimeZone(env) })
    return { account_id: accountId, keys: toJson(FIELDS, shown) }
  }

  async function changeKey(pool: pg.Pool, key: string, options: TermOptions) {
    if (Object.keys(options).length === 0) {
      throw new Error(`Nothing to change: use one of ${Object.keys(TERM_OPTIONS).join(', ')}`)
    }
    const change = await toTerms(pool, options, readTimeZone(env))
    const changed = await changeApiKey(pool, key, change)
    if (changed === undefined) throw new Error('There is no such key, or it is revoked')
    const { accountId, publicId } = changed
    const listed = toJson(FIELDS, await listApiKeys(pool, accountId))
    return { account_id: accountId, ...listed.find(({ key_id }) => key_id === publicId) }
  }

  async function revokeKey(pool: pg.Pool, key: string) {
    const revoked = await revokeApiKey(pool, key)
    if (revoked === undefined) throw new Error('There is no such key')
    return { account_id: revoked.accountId, key_id: revoked.publicId, revoked: true }
  }
}

/** Returns the terms that were given, and no others. */
async function toTerms(
  sql: Sql,
  { name, expires, spendLimit, rate, models }: TermOptions,
  timeZone: string,
): Promise<Partial<KeyTerms>> {
  const expiresAt = expires && (await endOfDay(sql, expires, timeZone))
  if (expiresAt && expiresAt.getTime() <= Date.now()) {
    throw new Error('--expires should be in the future: revoke-key ends a key at once')
  }
  const given = { spendLimitMicroRub: spendLimit, requestsPerMinute: rate }
  const terms = Object.entries({ name, expiresAt, models, ...given })
  const named = terms.filter(([, term]) => term !== undefined)
  return Object.fromEntries(named.map(([name, term]) => [name, term === false ? null : term]))
}
