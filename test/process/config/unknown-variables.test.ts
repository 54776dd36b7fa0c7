import { expect, test } from 'vitest'
import { readConfig } from '../../../src/process/config/config.ts'

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
