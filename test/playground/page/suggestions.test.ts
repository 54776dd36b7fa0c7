import type { User } from 'grammy/types'
import { expect, test } from 'vitest'
import {
  findToken,
  type Suggestible,
  suggestionsOf,
} from '../../../src/playground/page/composer/suggestions.ts'

const BOT: User = { id: 7, is_bot: true, first_name: 'Kopeck', username: 'kopeck_bot' }
const COMMANDS = [
  { command: 'retry', description: 'answer again' },
  { command: 'model', description: 'choose the model' },
  { command: 'remodel', description: 'change it' },
]
const PRIVATE: Suggestible = { commands: COMMANDS, bot: BOT, isGroup: false }
const GROUP: Suggestible = { commands: COMMANDS, bot: BOT, isGroup: true }

/** Suggests while the text is written up to the `|`. */
function suggest(marked: string, given: Suggestible): string[] {
  const cursor = marked.indexOf('|')
  return suggestionsOf(findToken(marked.replace('|', ''), cursor), given).map(({ text }) => text)
}

test('A slash at the beginning suggests every command in the bot’s order', () => {
  expect(suggest('/|', PRIVATE)).toEqual(['/retry', '/model', '/remodel'])
})

test('Commands that begin with the letters come before those that contain them', () => {
  expect(suggest('/MO|', PRIVATE)).toEqual(['/model', '/remodel'])
})

test('A command in a group names the bot', () => {
  expect(suggest('/ret|', GROUP)).toEqual(['/retry@kopeck_bot'])
})

test.each(['see /mo|', '/model |', 'a/|', '/mo| and /retry'])(
  'A command is suggested only as the first word that is being written: "%s"',
  (text) => {
    const expected = text.startsWith('/mo|') ? ['/model', '/remodel'] : []
    expect(suggest(text, PRIVATE)).toEqual(expected)
  },
)

test('An at sign after a space suggests the bot in a group, and nobody elsewhere', () => {
  expect(suggest('ask @|', GROUP)).toEqual(['@kopeck_bot'])
  expect(suggest('ask @kop|', GROUP)).toEqual(['@kopeck_bot'])
  expect(suggest('ada@kop|', GROUP)).toEqual([])
  expect(suggest('@|', PRIVATE)).toEqual([])
})
