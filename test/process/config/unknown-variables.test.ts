import { expect, test } from 'vitest'
import { ConfigError, readConfig } from '../../../src/process/config/config.ts'

const MODEL = {
  ...{ id: 'alpha', family: 'A', context_tokens: 1000 },
  ...{ prompt_rub_per_1m: '150', completion_rub_per_1m: '600' },
  provider: {
    type: 'openai',
    base_url: 'http://127.0.0.1:9/v1',
    model: 'm',
    api_key_env: 'UPSTREAM_KEY',
  },
}

test.each([
  ['a letter too few', 'SERVICE_CONFG', 'SERVICE_CONFIG'],
  ['one too many', 'DATABASE_URLS', 'DATABASE_URL'],
  ['another one', 'SERVICE_URI', 'SERVICE_URL'],
  ['two in each other’s place', 'BOT_TOEKN', 'BOT_TOKEN'],
  ['small letters', 'bot_token', 'BOT_TOKEN'],
  ['a name as other programs have it', 'TELEGRAM_BOT_TOKEN', 'BOT_TOKEN'],
  ['our name before it', 'KOPECK_DATABASE_URL', 'DATABASE_URL'],
])('a variable with %s is named with the one that is meant', (_, name, meant) => {
  expect(readConfig({ [name]: 'x' }).notes).toEqual([
    `${name} is no variable of Kopeck: is ${meant} meant?`,
  ])
})

test('one of our prefixes that is like none of ours is not used, and says so', () => {
  expect(readConfig({ OPENAI_ORGANIZATION: 'x' }).notes).toEqual([
    'OPENAI_ORGANIZATION is no variable of Kopeck: it is not used',
  ])
})

test('nothing is said of variables of others, of empty ones, and of a container’s neighbours', () => {
  const env = {
    ...{ PATH: '/bin', HOSTS: 'a', POST: '1', DATABASE_HOST: 'db', SERVICE_CONFG: ' ' },
    ...{ BOT_SERVICE_HOST: '10.0.0.1', BOT_SERVICE_PORT_HTTP: '80', BOT_PORT: 'tcp://10.0.0.1:80' },
    ...{ SERVICE_PORT_80_TCP_ADDR: '10.0.0.1' },
    ...{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' },
  }

  expect(readConfig(env).notes).toEqual([])
})

test('a key that the file names is known, and one that no file names is not', () => {
  const file = JSON.stringify({ chat: { models: [MODEL] } })
  const env = { UPSTREAM_KEY: 'k' }

  expect(readConfig({ ...env, SERVICE_CONFIG: 'f' }, [], () => file).notes).toEqual([])
  expect(readConfig(env).notes).toEqual(['UPSTREAM_KEY is no variable of Kopeck: it is not used'])
})

test('a config that is wrong names what may be why, and no key of a file that cannot be read', () => {
  const read = () => readConfig({ PORT: 'x', WEBHOK_SECRET: 's', UPSTREAM_KEY: 'k' })

  expect(read).toThrow(
    new ConfigError([
      'PORT: should be a port number from 0 to 65535',
      'WEBHOK_SECRET is no variable of Kopeck: is WEBHOOK_SECRET meant?',
    ]),
  )
})
