import { type Edit, type Mutation, mutation } from './mutation.ts'

const CALLBACKS = 'src/service/callback/callbacks.ts'
const NOTIFICATION = 'src/service/callback/notification.ts'
const SCHEDULE = 'src/service/callback/schedule.ts'
const STORED = 'src/service/callback/stored-callbacks.ts'
const ACCOUNTS = 'src/service/ledger/accounts.ts'
const DELAYS = 'const ATTEMPT_DELAYS_MS = [0, 5000, 15_000] as const'
const SIGNED = '...signCallback({ secret, timestamp: String(timestamp), body }),'
const TIMEOUTS = 'const TIMEOUTS: PostTimeouts = { connectMs: 5000, readMs: 10_000 }'
const ATTEMPT = 'const made = await attempt(callback, timestamp, signal)'
const POST = 'return await post(target, { headers, body }, timeouts, signal)'
const STATUS = 'status = response.statusCode'
const URLS = 'result_urls: succeeded ? outcome.resultUrls : null,'

/** Faults of callbacks. */
export const CALLBACK_MUTATIONS: readonly Mutation[] = [
  zeros('zeros-first', 'the first attempt is signed with zeros', 0),
  zeros('zeros-second', 'the second attempt is signed with zeros', 1),
  mutation(
    'timestamp-second',
    'the second attempt has the timestamp 1',
    CALLBACKS,
    ATTEMPT,
    'const made = await attempt(callback, attempts === 2 ? 1 : timestamp, signal)',
  ),
  mutation(
    'timestamp-in-ms',
    'the timestamp is in milliseconds',
    CALLBACKS,
    ATTEMPT,
    'const made = await attempt(callback, 1000 * timestamp, signal)',
  ),
  mutation(
    'signed-otherwise',
    'other bytes are signed than sent',
    CALLBACKS,
    POST,
    'return await post(target, { headers, body: Buffer.from(JSON.stringify(JSON.parse(body.toString()), null, 1)) }, timeouts, signal)',
  ),
  mutation(
    'one-secret',
    'all accounts have one secret',
    ACCOUNTS,
    `return randomBytes(32).toString('hex')`,
    `return '5'.repeat(64)`,
  ),
  mutation(
    'secret-changes',
    'the secret is another one at each look',
    ACCOUNTS,
    'return rows[0]?.callback_secret\n',
    'return rows[0] && createSecret()\n',
  ),
  mutation(
    'fail-unreported',
    'a task that failed has no callback',
    'src/service/generation/tasks.ts',
    'await callbacks.keep(sql, { taskId, endpoint, outcome })',
    `if (outcome.status === 'success') await callbacks.keep(sql, { taskId, endpoint, outcome })`,
  ),
  mutation(
    'fail-code-200',
    'the callback of a task that failed has the code 200',
    NOTIFICATION,
    'code: succeeded ? 200 : outcome.code,',
    'code: 200,',
  ),
  mutation(
    'fail-error-object',
    'the error of a callback is an object',
    NOTIFICATION,
    'error: succeeded ? null : outcome.message,',
    'error: succeeded ? null : ({ code: outcome.code, message: outcome.message } as never),',
  ),
  mutation(
    'other-links',
    'a callback has other links than a poll',
    NOTIFICATION,
    URLS,
    `result_urls: succeeded ? outcome.resultUrls.map((url) => \`\${url}?from=callback\`) : null,`,
  ),
  mutation('2-attempts', 'a callback is tried twice', SCHEDULE, DELAYS, delays('0, 5000')),
  mutation(
    '4-attempts',
    'a callback is tried four times',
    SCHEDULE,
    DELAYS,
    delays('0, 5000, 15_000, 20_000'),
  ),
  mutation(
    'other-pauses',
    'a callback is tried again at once',
    SCHEDULE,
    DELAYS,
    delays('0, 500, 1000'),
  ),
  mutation(
    'later-pauses',
    'a callback is tried again after 12 s',
    SCHEDULE,
    DELAYS,
    delays('0, 12_000, 24_000'),
  ),
  mutation(
    'read-2s',
    'a receiver has two seconds',
    CALLBACKS,
    TIMEOUTS,
    TIMEOUTS.replace('10_000', '2_000'),
  ),
  mutation(
    'read-forever',
    'a receiver has ten minutes',
    CALLBACKS,
    TIMEOUTS,
    TIMEOUTS.replace('10_000', '600_000'),
  ),
  mutation(
    'redirects',
    'a callback goes where it is redirected to',
    'src/service/callback/post.ts',
    STATUS,
    `${STATUS}
      const { location } = response.headers
      if (location !== undefined) {
        status = 200
        const { 'content-length': _, ...rest } = headers
        void fetch(new URL(location, url), { method: 'POST', headers: rest, body: new Uint8Array(body) }).catch(() => {})
      }`,
  ),
  mutation(
    'only-204',
    'only 204 counts as taken',
    STORED,
    'const isDelivered = status !== null && status >= 200 && status < 300',
    'const isDelivered = status === 204',
  ),
  mutation(
    'any-answer',
    'any answer counts as taken',
    STORED,
    'const isDelivered = status !== null && status >= 200 && status < 300',
    'const isDelivered = status !== null',
  ),
  mutation(
    'clip-reported',
    'a clip sends a callback',
    'src/service/generation/endpoints.ts',
    'deliversCallbacks: false,',
    'deliversCallbacks: true,',
  ),
]

function zeros(name: string, breaks: string, attempts: number): Mutation {
  const edits: readonly [Edit, Edit] = [
    {
      file: CALLBACKS,
      find: '{ url, secret, body }: PendingCallback,',
      replace: '{ url, secret, body, attempts }: PendingCallback,',
    },
    {
      file: CALLBACKS,
      find: SIGNED,
      replace: `${SIGNED}
      ...(attempts === ${attempts} && { 'x-callback-signature': \`sha256=\${'0'.repeat(64)}\` }),`,
    },
  ]
  return { name, breaks, edits }
}

function delays(list: string): string {
  return `const ATTEMPT_DELAYS_MS = [${list}] as const`
}
