import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { describeStart } from '../../src/process/describe-start.ts'
import { SHIPPED_USD_RATE } from '../../src/service/config/openai/usd.ts'

const STARTED = {
  version: '1.2.3',
  roles: new Set(['bot', 'service'] as const),
  address: 'http://127.0.0.1:3000',
  rootDir: resolve('data'),
  dataDir: resolve('data'),
  doors: { username: 'kopeck_bot', openTo: 'everybody', adminCode: undefined },
} as const

test('a start on a terminal says what runs where', () => {
  const shown = describeStart(
    { ...STARTED, publicUrl: 'https://kopeck.example' },
    { isTerminal: true },
  )

  expect(shown).toContain('Kopeck 1.2.3 runs: the bot and the service.')
  for (const address of [
    'http://127.0.0.1:3000/api/v1\n',
    'http://127.0.0.1:3000/api/v1/docs\n',
    'http://127.0.0.1:3000/admin',
    'http://127.0.0.1:3000/metrics',
    'http://127.0.0.1:3000/healthz',
    'https://t.me/kopeck_bot',
    'https://kopeck.example',
    `embedded PostgreSQL, in ${STARTED.dataDir}`,
  ]) {
    expect(shown).toContain(address)
  }
})

test('the address of the database is shown without its user and password', () => {
  const databaseUrl = 'postgresql://kopeck:secret@db.lan:5432/kopeck?password=secret'

  const shown = describeStart({ ...STARTED, databaseUrl }, { isTerminal: true })

  expect(shown).toContain('PostgreSQL at db.lan:5432/kopeck\n')
  expect(shown).not.toContain('secret')
})

test.each([{}, { playground: { pageUrl: 'http://127.0.0.1:3001', host: '127.0.0.1' } }])(
  'a start on a terminal says which proxies are in use: %o',
  (others) => {
    const proxies = { telegram: 'socks5://proxy.lan:1080', upstream: 'http://proxy.lan:3128' }

    const shown = describeStart({ ...STARTED, ...others, proxies }, { isTerminal: true })

    expect(shown).toContain('  Telegram proxy  socks5://proxy.lan:1080\n')
    expect(shown).toContain('  Upstream proxy  http://proxy.lan:3128\n')
  },
)

test.each([true, false])(
  'what is wrong with the service of another process is shown (terminal: %s)',
  (isTerminal) => {
    const serviceTrouble = 'SERVICE_API_KEY: example.com refuses this key'

    expect(describeStart({ ...STARTED, serviceTrouble }, { isTerminal })).toContain(
      `\nThe bot cannot answer yet. ${serviceTrouble}.\n`,
    )
  },
)

const PLAYGROUND = { pageUrl: 'http://127.0.0.1:3001', host: '127.0.0.1' }

test.each([true, false])(
  'with a playground a start shows one address (terminal: %s)',
  (isTerminal) => {
    const shown = describeStart(
      { ...STARTED, playground: PLAYGROUND, firstModel: 'alpha' },
      { isTerminal },
    )

    expect(shown.match(/\w+:\/\/\S+/g)).toEqual(['http://127.0.0.1:3001'])
    expect(shown.includes('Kopeck 1.2.3 runs')).toBe(isTerminal)
    expect(shown).toContain('BOT_TOKEN=')
    expect(shown).not.toContain('everybody')
  },
)

const SETTINGS = {
  baseUrl: 'https://api.openai.com/v1',
  apiKey: 'sk-one',
  models: undefined,
  prices: new Map(),
  usdRate: SHIPPED_USD_RATE,
}

test.each([
  ['models of a key', { ownModels: { settings: SETTINGS, offer: () => undefined } }],
  ['a remote service', { remoteServiceUrl: 'https://example.com/api/v1' }],
])('a playground says in one line how to go on, with %s without a word of a key', (_, own) => {
  const shown = describeStart({ ...STARTED, playground: PLAYGROUND }, { isTerminal: false })
  const shownWith = describeStart(
    { ...STARTED, ...own, playground: PLAYGROUND },
    { isTerminal: false },
  )

  expect(shown).toContain(
    '\nTo go on in Telegram and with models of your own: npm run setup, or OPENAI_API_KEY=… BOT_TOKEN=… npm start\n',
  )
  expect(shownWith).toContain('\nTo go on in Telegram: npm run setup, or BOT_TOKEN=… npm start\n')
})

test('a playground that others reach says what they can do there', () => {
  const playground = { ...PLAYGROUND, host: '0.0.0.0' }

  const shown = describeStart({ ...STARTED, playground }, { isTerminal: false })

  expect(shown).toContain('HOST is 0.0.0.0: others reach the page. Anyone with the key')
})

test('a playground that is not open to everybody says to whom', () => {
  const doors = { ...STARTED.doors, openTo: 'listed', adminCode: undefined } as const

  const shown = describeStart({ ...STARTED, doors, playground: PLAYGROUND }, { isTerminal: false })

  expect(shown).toContain('the users in ALLOWED_USER_IDS may talk to the bot')
})

test('a bot alone names its remote service, and no part that does not run', () => {
  const remoteServiceUrl = 'https://example.com/api/v1'
  const roles = new Set(['bot'] as const)

  const shown = describeStart({ ...STARTED, roles, remoteServiceUrl }, { isTerminal: true })

  expect(shown).toContain('Kopeck 1.2.3 runs: the bot.')
  expect(shown).toContain(remoteServiceUrl)
  expect(shown).toContain('https://t.me/kopeck_bot')
  expect(shown).not.toContain('127.0.0.1:3000/api/v1')
})

test('elsewhere a start says what is left to be done by hand, and nothing else', () => {
  const shown = describeStart({ ...STARTED, firstModel: 'alpha' }, { isTerminal: false })

  expect(shown).not.toContain('Kopeck 1.2.3 runs')
  expect(shown).toContain('Everybody may talk to the bot.')
  expect(shown).toContain('    npm run account -- create --name shop --credit 500\n')
  expect(shown).toContain('"model": "alpha"')
  expect(describeStart({ ...STARTED, doors: undefined }, { isTerminal: false })).toBe('')
})

test.each([
  ['/srv/kopeck', '/srv/kopeck'],
  ["/srv/the shop's", "'/srv/the shop'\\''s'"],
])('the command for the first account finds the data folder %s', (dataDir, written) => {
  const shown = describeStart(
    { ...STARTED, rootDir: dataDir, firstModel: 'alpha' },
    { isTerminal: false },
  )

  expect(shown).toContain(`    DATA_DIR=${written} npm run account -- create`)
})
