import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { ConfigError, readConfig, readTimeZone } from '../../src/process/config.ts'

afterEach(() => vi.unstubAllEnvs())

type Env = Record<string, string>

const BOT_TOKEN = '123456:abcdefghijklmnopqrstuvwxyzABCDEFGHI'
const DATABASE_URL = 'postgresql://localhost/kopeck'
const DATA_DIR = '/data'
const KEY = { OPENAI_API_KEY: 'sk-proj-x' }
const LIMITS = { chat: 30, video: 3, image: 3, sound: 3 }

test('readConfig() needs nothing: every role on embedded parts', () => {
  const config = readConfig({})

  expect([...config.roles].sort()).toEqual(['bot', 'service'])
  expect(config).toMatchObject({
    remoteServiceUrl: undefined,
    databaseUrl: undefined,
    listen: { host: '127.0.0.1', port: 3000 },
    bot: { maxTokens: 4096 },
    logLevel: 'info',
    secrets: { botToken: undefined, serviceApiKey: undefined, webhookSecret: undefined },
  })
  expect(readConfig({ PORT: '', BOT_TOKEN: ' ', ADMIN_IDS: '' })).toEqual(config)
})

// Without BOT_TOKEN data is in the folder `playground`, except for a service alone on a DATABASE_URL.
test.each<[Env, string[], string]>([
  [{ BOT_TOKEN }, [], join(process.cwd(), 'data')],
  [{ BOT_TOKEN, DATA_DIR }, [], '/data'],
  [{ DATA_DIR }, [], '/data/playground'],
  [{ DATA_DIR, DATABASE_URL }, [], '/data/playground'],
  [{ DATA_DIR }, ['service'], '/data/playground'],
  [{ DATA_DIR, DATABASE_URL }, ['service'], '/data'],
])('with %j and the roles %j data is in %s', (env, roles, dataDir) => {
  expect(readConfig(env, roles).dataDir).toBe(dataDir)
})

// The zone of the process is that of TZ at any moment.
test.each([
  ['Asia/Yekaterinburg', {}, 'Asia/Yekaterinburg'],
  ['Asia/Yekaterinburg', { TIME_ZONE: 'Europe/Moscow' }, 'Europe/Moscow'],
  ['no zone', {}, 'UTC'],
])('on a machine of %s with %j days are those of %s', (machine, env, timeZone) => {
  vi.stubEnv('TZ', machine)

  expect(readConfig(env).bot.timeZone).toBe(timeZone)
  expect(readTimeZone(env)).toBe(timeZone)
})

test.each<[Env, object]>([
  [{}, { bot: { adminIds: new Set([1003]), allowedUserIds: 'everybody' } }],
  [{ ADMIN_IDS: '1, 2' }, { bot: { adminIds: new Set([1, 2]), allowedUserIds: 'everybody' } }],
  [{ BOT_TOKEN }, { bot: { adminIds: new Set(), allowedUserIds: new Set() } }],
  [{ BOT_TOKEN, ALLOWED_USER_IDS: '*' }, { bot: { allowedUserIds: 'everybody' } }],
  [{ ALLOWED_USER_IDS: '3', VIEWER_IDS: '4' }, { bot: { allowedUserIds: new Set([3]) } }],
  [{ VIEWER_IDS: '4' }, { bot: { viewerIds: new Set([4]) } }],
  [{ TELEGRAM_API_ROOT: 'http://a:8081/' }, { telegram: { apiRoot: 'http://a:8081' } }],
  [
    { MEDIA_PRICES_RUB: '{"vidgen-720p-5s": "40.5", "imagegen": 70}' },
    {
      bot: {
        mediaPricesMicroRub: new Map(
          Object.entries({ 'vidgen-720p-5s': 40_500_000n, imagegen: 70_000_000n }),
        ),
      },
    },
  ],
  [{}, { serviceLimits: LIMITS, corsOrigins: new Set() }],
  [{ SERVICE_LIMITS: '{"chat": 600}' }, { serviceLimits: { ...LIMITS, chat: 600 } }],
  [{ CORS_ORIGINS: '*' }, { corsOrigins: new Set(['*']) }],
  [
    { CORS_ORIGINS: 'https://Chat.example.com:443/, http://localhost:5173,tauri://localhost' },
    {
      corsOrigins: new Set([
        ...['https://chat.example.com', 'http://localhost:5173', 'tauri://localhost'],
      ]),
    },
  ],
  [
    { TELEGRAM_PROXY: 'socks5://user:pw@proxy.lan, http://proxy.lan:3128' },
    {
      secrets: {
        telegramProxies: [{ name: 'socks5://proxy.lan:1080' }, { name: 'http://proxy.lan:3128' }],
        upstreamProxies: [],
      },
    },
  ],
  [
    { PUBLIC_URL: 'https://example.com', WEBHOOK_SECRET: 'aZ09_-' },
    { secrets: { webhookSecret: 'aZ09_-' } },
  ],
  [
    KEY,
    {
      openAi: { baseUrl: 'https://api.openai.com/v1', apiKey: 'sk-proj-x' },
      // Nothing is sold until the list was read.
      service: { chat: { models: [] } },
      notes: [],
    },
  ],
  [
    { OPENAI_BASE_URL: 'http://localhost:11434/v1/' },
    { openAi: { baseUrl: 'http://localhost:11434/v1', apiKey: undefined } },
  ],
  [
    {
      ...KEY,
      OPENAI_BASE_URL: 'https://api.openai.com/v1/chat/completions',
      OPENAI_MODELS: ' b , a:free',
      OPENAI_PRICES: 'a/b:c=0.25/0.000001, d=e=free',
      USD_RUB: '95.5',
    },
    {
      openAi: {
        baseUrl: 'https://api.openai.com/v1',
        apiKey: 'sk-proj-x',
        models: ['b', 'a:free'],
        prices: new Map([
          ['a/b:c', { prompt: 250_000n, completion: 1n }],
          ['d=e', { prompt: 0n, completion: 0n }],
        ]),
        usdRate: { microRub: 95_500_000n, from: 'USD_RUB' },
      },
    },
  ],
])('readConfig() reads %j', (env, config) => {
  expect(readConfig(env)).toMatchObject(config)
})

test('readConfig() reports every problem at once, and no value that may be a secret', () => {
  const wrong = {
    ADMIN_IDS: '1,two',
    BOT_TOKEN: 'no-token-of-telegram',
    CALLBACK_ALLOW: '127.0.0.1:8080,receiver.lan',
    DATABASE_URL: 'mysql://root:hunter2@localhost/x',
    LOG_LEVEL: 'loud',
    MAX_TOKENS: '0',
    MEDIA_PRICES_RUB: '{"vidgen-720p-5s":"forty"}',
    PORT: '70000',
    PUBLIC_URL: 'example.com',
    SEND_LIMITS: '{"overall_per_second":0}',
    SERVICE_LIMITS: '{"chat":0}',
    SERVICE_URL: 'https://example.com/api',
    TELEGRAM_API_ROOT: 'ftp://example.com',
    TELEGRAM_PROXY: 'user:hunter2@proxy.lan',
    TIME_ZONE: 'Moscow',
    UPSTREAM_PROXY: 'http://a,',
  }

  const problems = problemsOf(wrong)

  const names = [...Object.keys(wrong), 'SERVICE_URL and SERVICE_API_KEY']
  expect(problems.map((problem) => problem.split(':')[0]).sort()).toEqual(names.sort())
  expect(problems.join()).not.toMatch(/no-token|hunter2/)
})

const REFUSED = {
  ALLOWED_USER_IDS: ['everybody', '*,3', '3;4', '-5', '@anna'],
  DATABASE_URL: ['localhost', 'postgresql://a:b@one,two/c', 'postgresql://a:hunter2%@b/c'],
  BOT_RETENTION: ['7', '{"turns_days": 6}', '{"orders_days": 36501}', '{"charges_days": 30}'],
  SEND_LIMITS: ['30', '{', '[]', 'null', '{"overall": 30}', '{"group_per_minute": 2.5}'],
  SERVICE_LIMITS: ['30', '{', '[]', 'null', '{"clip": 3}', '{"chat": 2.5}', '{"video": 0}'],
  CORS_ORIGINS: [
    ...['chat.example.com', 'https://chat.example.com/app', 'https://*.example.com', 'null'],
    ...['https://me@chat.example.com', 'https://chat.example.com?a', 'https://a.example,'],
  ],
  CALLBACK_ALLOW: [
    ...['receiver.lan', 'receiver.lan:0', 'a:70000', ':80', 'http://a:80', 'u@a:80', 'a:80,'],
  ],
  OPENAI_API_KEY: ['sk-proj\nx', '"sk-proj-x"'],
  OPENAI_BASE_URL: [
    ...['openrouter.ai', 'https://user:password@llm.example.com/v1'],
    'https://example.openai.azure.com/openai?api-version=1',
  ],
  OPENAI_MODELS: ['a,,b', 'a b'],
  OPENAI_PRICES: ['a=-1/2', 'a=1/1.0000001', 'a=1'],
  USD_RUB: ['0', '8e1'],
}

test.each(
  Object.entries(REFUSED).flatMap(([name, values]) => values.map((value) => [name, value])),
)('readConfig() refuses %s=%s', (name = '', value = '') => {
  expect(problemsOf({ ...KEY, [name]: value })).toEqual([expect.stringMatching(`^${name}: `)])
})

const WEBHOOK = { BOT_TOKEN, WEBHOOK_SECRET: 'aZ09_-', PUBLIC_URL: 'http://bot.example.com' }
const BOTH = 'SERVICE_URL and SERVICE_API_KEY: set both for a remote service, or neither'
const HTTPS = /^PUBLIC_URL: should be an https URL/

test.each<[Env, string[], (string | RegExp)[]]>([
  [{ SERVICE_URL: 'https://example.com/api/v1' }, [], [BOTH]],
  [{ SERVICE_API_KEY: 'key' }, [], [BOTH]],
  [{}, ['bot'], [/^SERVICE_URL: /]],
  [{}, ['robot'], [/^unknown role/]],
  [
    { ALLOWED_USER_IDS: 'all' },
    [],
    [
      'ALLOWED_USER_IDS: should be * for everybody, or Telegram user ids with commas between: 123456789,987654321',
    ],
  ],
  [
    {
      SEND_LIMITS: '{"private_per_second":0,"private_burst":"3","overall":30}',
      SERVICE_LIMITS: '[30]',
    },
    [],
    [
      'SEND_LIMITS: overall: no known name, known are private_per_second, private_burst, group_per_minute, overall_per_second',
      'SEND_LIMITS: private_per_second: a number above 0',
      'SEND_LIMITS: private_burst: a whole number from 1',
      'SERVICE_LIMITS: JSON such as {"chat": 30}',
    ],
  ],
  [{ WEBHOOK_SECRET: 'aZ09_-' }, [], [/^WEBHOOK_SECRET: needs PUBLIC_URL/]],
  ...['with space', 'тайна', 'a'.repeat(257)].map((secret): [Env, string[], RegExp[]] => [
    { PUBLIC_URL: 'https://example.com', WEBHOOK_SECRET: secret },
    [],
    [/^WEBHOOK_SECRET: should be 1 to 256 characters/],
  ]),
  // Telegram itself sends updates only to https.
  [WEBHOOK, [], [HTTPS]],
  [{ ...WEBHOOK, TELEGRAM_API_ROOT: 'https://api.telegram.org' }, [], [HTTPS]],
  [{ ...WEBHOOK, PUBLIC_URL: 'HTTPS://bot.example.com' }, [], []],
  [{ ...WEBHOOK, TELEGRAM_API_ROOT: 'http://127.0.0.1:8081' }, [], []],
  [{ ...WEBHOOK, WEBHOOK_SECRET: '' }, [], []],
  [{ ...WEBHOOK, BOT_TOKEN: '' }, [], []],
  [WEBHOOK, ['service'], []],
  [
    { OPENAI_BASE_URL: 'https://openrouter.ai/api/v1' },
    [],
    ['OPENAI_API_KEY: should be set for openrouter.ai'],
  ],
  [{ OPENAI_API_KEY: '"sk"' }, [], [/^OPENAI_API_KEY: should be the key alone, in one line/]],
  [{ ...KEY, USD_RUB: '0' }, [], [/^USD_RUB: should be the roubles that a dollar costs, above 0/]],
  [{ CORS_ORIGINS: 'a' }, [], [/^CORS_ORIGINS: should be \* for any, or origins/]],
  [{ TELEGRAM_PROXY: 'a:b@c' }, [], [/^TELEGRAM_PROXY: should be http:/]],
  [{ OPENAI_MODELS: 'a' }, [], ['OPENAI_MODELS: needs OPENAI_API_KEY or OPENAI_BASE_URL']],
])('readConfig(%j, %j) has the problems %j', (env, roles, problems) => {
  expect(problemsOf(env, roles)).toEqual(
    problems.map((problem) =>
      typeof problem === 'string' ? problem : expect.stringMatching(problem),
    ),
  )
})

test('readConfig() reports a broken SERVICE_CONFIG by the path of the field', () => {
  const env = { SERVICE_CONFIG: 'service.json' }
  const model = { id: 'a', family: 'A', context_tokens: 'many' }

  const problems = problemsOf(env, [], JSON.stringify({ chat: { models: [model] } }))

  expect(problems).toContainEqual(
    expect.stringMatching(/^SERVICE_CONFIG: chat\.models\[0\]\.context_tokens: /),
  )
  expect(problemsOf(env, [], '{\n  "chat": 1,\n}')).toEqual([
    'SERVICE_CONFIG: the file "service.json" should be JSON: look at line 3, column 1',
  ])
})

function problemsOf(env: Env, args: string[] = [], file = '{}'): string[] {
  try {
    readConfig(env, args, () => file)
  } catch (error) {
    if (error instanceof ConfigError) return [...error.problems]
    throw error
  }
  return []
}
