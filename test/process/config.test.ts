import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { ConfigError, readConfig, readTimeZone } from '../../src/process/config.ts'

afterEach(() => vi.unstubAllEnvs())

test('data is kept in the folder where the program is started, unless DATA_DIR says where', () => {
  const BOT_TOKEN = '123456:abcdefghijklmnopqrstuvwxyzABCDEFGHI'

  expect(readConfig({ BOT_TOKEN }).dataDir).toBe(join(process.cwd(), 'data'))
  expect(readConfig({ BOT_TOKEN, DATA_DIR: '/var/lib/kopeck' }).dataDir).toBe('/var/lib/kopeck')
})

test('without BOT_TOKEN data is kept in the folder playground, except for a service alone on a DATABASE_URL', () => {
  const env = { DATA_DIR: '/data', DATABASE_URL: 'postgresql://localhost/kopeck' }

  expect(readConfig({ DATA_DIR: '/data' }).dataDir).toBe('/data/playground')
  expect(readConfig(env).dataDir).toBe('/data/playground')
  expect(readConfig({ DATA_DIR: '/data' }, ['service']).dataDir).toBe('/data/playground')
  expect(readConfig(env, ['service']).dataDir).toBe('/data')
})

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

test('readConfig() takes an empty variable for an unset one', () => {
  expect(readConfig({ PORT: '', BOT_TOKEN: ' ', ADMIN_IDS: '' })).toEqual(readConfig({}))
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
    TIME_ZONE: 'Moscow',
  }

  const problems = problemsOf(wrong)

  const names = [...Object.keys(wrong), 'SERVICE_URL and SERVICE_API_KEY']
  expect(problems.map((problem) => problem.split(':')[0]).sort()).toEqual(names.sort())
  expect(problems.join()).not.toMatch(/no-token|hunter2/)
})

test.each([{ SERVICE_URL: 'https://example.com/api/v1' }, { SERVICE_API_KEY: 'key' }])(
  'readConfig() wants a remote service and its key together: %j',
  (env) => {
    expect(problemsOf(env)).toEqual([
      'SERVICE_URL and SERVICE_API_KEY: set both for a remote service, or neither',
    ])
  },
)

test('readConfig() knows the roles, and that a bot alone needs a service', () => {
  expect([...readConfig({}, ['service']).roles]).toEqual(['service'])
  expect(problemsOf({}, ['bot'])).toEqual([expect.stringMatching(/^SERVICE_URL: /)])
  expect(problemsOf({}, ['robot'])).toEqual([expect.stringMatching(/^unknown role/)])
})

test('readConfig() reads ids, prices and URLs into what the setup uses', () => {
  const config = readConfig({
    ADMIN_IDS: '1, 2',
    VIEWER_IDS: '4',
    ALLOWED_USER_IDS: '3',
    TELEGRAM_API_ROOT: 'http://127.0.0.1:8081/',
    MEDIA_PRICES_RUB: '{"vidgen-720p-5s": "40.5", "vidgen-1080p-5s": 70}',
  })

  expect(config.bot).toMatchObject({
    adminIds: new Set([1, 2]),
    viewerIds: new Set([4]),
    allowedUserIds: new Set([3]),
  })
  expect(config.telegram.apiRoot).toBe('http://127.0.0.1:8081')
  expect(config.bot.mediaPricesMicroRub).toEqual(
    new Map([
      ['vidgen-720p-5s', 40_500_000n],
      ['vidgen-1080p-5s', 70_000_000n],
    ]),
  )
})

test('readConfig() opens the bot to everybody only by a setting, or in the playground', () => {
  const allowed = (env: Record<string, string>) => readConfig(env).bot.allowedUserIds

  expect(allowed({ BOT_TOKEN: '123456:ABC' })).toEqual(new Set())
  expect(allowed({ BOT_TOKEN: '123456:ABC', ALLOWED_USER_IDS: '*' })).toBe('everybody')
  expect(allowed({ BOT_TOKEN: '123456:ABC', ALLOWED_USER_IDS: '3' })).toEqual(new Set([3]))
  expect(allowed({})).toBe('everybody')
  expect(allowed({ ALLOWED_USER_IDS: '3' })).toEqual(new Set([3]))
  for (const neither of ['everybody', '*,3', '3;4', '-5', '@anna']) {
    expect(problemsOf({ ALLOWED_USER_IDS: neither })).toEqual([
      'ALLOWED_USER_IDS: should be * for everybody, or Telegram user ids with commas between: 123456789,987654321',
    ])
  }
})

test('readConfig() has an admin in the playground, and none with a token, unless one is named', () => {
  const admins = (env: Record<string, string>) => [...readConfig(env).bot.adminIds]

  expect(admins({})).toEqual([1003])
  expect(admins({ ADMIN_IDS: '7' })).toEqual([7])
  expect(admins({ BOT_TOKEN: '123456:ABC' })).toEqual([])
})

const REFUSED = {
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
}

test.each(
  Object.entries(REFUSED).flatMap(([name, values]) => values.map((value) => [name, value])),
)('readConfig() refuses %s=%s', (name = '', value = '') => {
  expect(problemsOf({ [name]: value })).toEqual([expect.stringMatching(`^${name}: `)])
})

test('readConfig() reports every problem of a JSON variable, each as its path and what it should be', () => {
  const problems = problemsOf({
    SEND_LIMITS: '{"private_per_second":0,"private_burst":"3","overall":30}',
    SERVICE_LIMITS: '[30]',
  })

  expect(problems).toEqual([
    'SEND_LIMITS: overall: no known name, known are private_per_second, private_burst, group_per_minute, overall_per_second',
    'SEND_LIMITS: private_per_second: a number above 0',
    'SEND_LIMITS: private_burst: a whole number from 1',
    'SERVICE_LIMITS: JSON such as {"chat": 30}',
  ])
})

test('readConfig() reads SERVICE_LIMITS, each beside the interface document’s for the rest', () => {
  const limits = { chat: 30, video: 3, image: 3, sound: 3 }

  expect(readConfig({}).serviceLimits).toEqual(limits)
  expect(readConfig({ SERVICE_LIMITS: '{"chat": 600, "sound": 10}' }).serviceLimits).toEqual({
    ...limits,
    chat: 600,
    sound: 10,
  })
})

test('readConfig() reads the origins of CORS_ORIGINS as browsers send them', () => {
  const { corsOrigins } = readConfig({
    CORS_ORIGINS: 'https://Chat.example.com:443/, http://localhost:5173,tauri://localhost',
  })

  expect([...corsOrigins]).toEqual([
    ...['https://chat.example.com', 'http://localhost:5173', 'tauri://localhost'],
  ])
  expect([...readConfig({ CORS_ORIGINS: '*' }).corsOrigins]).toEqual(['*'])
  expect([...readConfig({}).corsOrigins]).toEqual([])
  expect(problemsOf({ CORS_ORIGINS: 'chat.example.com' })).toEqual([
    expect.stringMatching(/^CORS_ORIGINS: should be \* for any, or origins/),
  ])
})

test('readConfig() reads the proxies of each way, and quotes nothing of one that is wrong', () => {
  const { telegramProxies, upstreamProxies } = readConfig({
    TELEGRAM_PROXY: 'socks5://user:pw@proxy.lan, http://proxy.lan:3128',
  }).secrets

  expect(telegramProxies.map(({ name }) => name)).toEqual([
    'socks5://proxy.lan:1080',
    'http://proxy.lan:3128',
  ])
  expect(upstreamProxies).toEqual([])
  expect(problemsOf({ TELEGRAM_PROXY: 'user:pw@proxy.lan', UPSTREAM_PROXY: 'http://a,' })).toEqual([
    expect.stringMatching(/^TELEGRAM_PROXY: should be http:/),
    expect.stringMatching(/^UPSTREAM_PROXY: should be http:/),
  ])
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

test('readConfig() takes a webhook secret of the characters that Telegram allows, with an address', () => {
  const env = { PUBLIC_URL: 'https://example.com', WEBHOOK_SECRET: 'aZ09_-' }

  expect(readConfig(env).secrets.webhookSecret).toBe('aZ09_-')
  for (const secret of ['with space', 'тайна', 'a'.repeat(257)]) {
    expect(problemsOf({ ...env, WEBHOOK_SECRET: secret })).toEqual([
      expect.stringMatching(/^WEBHOOK_SECRET: should be 1 to 256 characters/),
    ])
  }
  expect(problemsOf({ WEBHOOK_SECRET: 'aZ09_-' })).toEqual([
    expect.stringMatching(/^WEBHOOK_SECRET: needs PUBLIC_URL/),
  ])
})

test('readConfig() wants an https address for updates from Telegram itself', () => {
  const env = {
    BOT_TOKEN: '123456:ABC',
    WEBHOOK_SECRET: 'aZ09_-',
    PUBLIC_URL: 'http://bot.example.com',
  }

  for (const more of [{}, { TELEGRAM_API_ROOT: 'https://api.telegram.org' }]) {
    expect(problemsOf({ ...env, ...more })).toEqual([
      expect.stringMatching(/^PUBLIC_URL: should be an https URL/),
    ])
  }
  const allowed: Record<string, string>[] = [
    { PUBLIC_URL: 'HTTPS://bot.example.com' },
    { TELEGRAM_API_ROOT: 'http://127.0.0.1:8081' },
    { WEBHOOK_SECRET: '' },
    { BOT_TOKEN: '' },
  ]
  for (const more of allowed) expect(problemsOf({ ...env, ...more })).toEqual([])
  expect(problemsOf(env, ['service'])).toEqual([])
})

const KEY = { OPENAI_API_KEY: 'sk-proj-x' }

test('readConfig() takes a key of OpenAI alone, and sells nothing until the list was read', () => {
  const { openAi, service, notes } = readConfig(KEY)

  expect(openAi).toMatchObject({ baseUrl: 'https://api.openai.com/v1', apiKey: 'sk-proj-x' })
  expect(service.chat.models).toEqual([])
  expect(notes).toEqual([])
})

const REFUSED_OFFERS: Record<string, [values: string[], problem: RegExp]> = {
  OPENAI_BASE_URL: [
    [
      ...['openrouter.ai', 'https://user:password@llm.example.com/v1'],
      'https://example.openai.azure.com/openai?api-version=1',
    ],
    /^OPENAI_BASE_URL: should be/,
  ],
  OPENAI_MODELS: [['a,,b', 'a b'], /^OPENAI_MODELS: should be/],
  OPENAI_PRICES: [['a=-1/2', 'a=1/1.0000001', 'a=1'], /^OPENAI_PRICES: should be/],
  USD_RUB: [['0', '8e1'], /^USD_RUB: should be the roubles that a dollar costs, above 0/],
}

test.each<[Record<string, string>, RegExp]>([
  [{ OPENAI_API_KEY: 'sk-proj\nx' }, /^OPENAI_API_KEY: should be the key alone, in one line/],
  [{ OPENAI_API_KEY: '"sk-proj-x"' }, /^OPENAI_API_KEY: should be the key alone/],
  [
    { OPENAI_BASE_URL: 'https://openrouter.ai/api/v1' },
    /^OPENAI_API_KEY: should be set for openrouter\.ai$/,
  ],
  [{ OPENAI_MODELS: 'a' }, /^OPENAI_MODELS: needs OPENAI_API_KEY or OPENAI_BASE_URL$/],
  ...Object.entries(REFUSED_OFFERS).flatMap(([name, [values, problem]]) =>
    values.map((value): [Record<string, string>, RegExp] => [{ ...KEY, [name]: value }, problem]),
  ),
])('readConfig() refuses %j', (env, problem) => {
  expect(problemsOf(env)).toEqual([expect.stringMatching(problem)])
})

test('readConfig() reads what is offered beside a key, each number exactly', () => {
  const { openAi } = readConfig({
    ...KEY,
    OPENAI_BASE_URL: 'https://api.openai.com/v1/chat/completions',
    OPENAI_MODELS: ' b , a:free',
    OPENAI_PRICES: 'a/b:c=0.25/0.000001, d=e=free',
    USD_RUB: '95.5',
  })

  expect(openAi).toEqual({
    baseUrl: 'https://api.openai.com/v1',
    apiKey: 'sk-proj-x',
    models: ['b', 'a:free'],
    prices: new Map([
      ['a/b:c', { prompt: 250_000n, completion: 1n }],
      ['d=e', { prompt: 0n, completion: 0n }],
    ]),
    usdRate: { microRub: 95_500_000n, from: 'USD_RUB' },
  })
})

test('readConfig() wants no key for a local upstream', () => {
  const { openAi } = readConfig({ OPENAI_BASE_URL: 'http://localhost:11434/v1/' })

  expect(openAi).toMatchObject({ baseUrl: 'http://localhost:11434/v1', apiKey: undefined })
})

function problemsOf(env: Record<string, string>, args: string[] = [], file = '{}'): string[] {
  try {
    readConfig(env, args, () => file)
  } catch (error) {
    if (error instanceof ConfigError) return [...error.problems]
    throw error
  }
  return []
}
