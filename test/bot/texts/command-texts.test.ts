import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { COMMANDS } from '../../../src/bot/commands/list.ts'
import { LANGUAGES } from '../../../src/bot/texts/texts.ts'

const CODE = /`([^`\n]+)`/g
const WORDS = new Set(COMMANDS.flatMap(({ usage = '' }) => usage.match(/\w+/g) ?? []))

/** A command and the word after it. Of an argument of its own words the first one begins like a sentence. */
const WITH_WORD = /\/([a-z]+) ([^\s.,;:)]+)/g

test.each(LANGUAGES)(
  'every command with an argument in a text stands there as a code that a tap copies whole: %s',
  async (language) => {
    const entries = await readEntries(language)

    const bare = entries.flatMap(({ key, text }) =>
      [...text.replace(CODE, '').matchAll(WITH_WORD)].flatMap(([, name = '', word = '']) =>
        isCommand(name) && isArgument(word) ? [`${key}: /${name} ${word}`] : [],
      ),
    )

    expect(bare).toEqual([])
  },
)

test.each(LANGUAGES)(
  'every code of a text is a command of the bot, with an argument, or an id: %s',
  async (language) => {
    const codes = (await readEntries(language)).flatMap(({ text }) => [...text.matchAll(CODE)])

    expect(codes.length).toBeGreaterThan(20)
    for (const [, code = ''] of codes) {
      if (code === '{ $id }') continue
      const [, name = '', argument] = /^\/(\w+)(?: (.+))?$/.exec(code) ?? []
      expect([code, isCommand(name), argument]).toEqual([code, true, expect.any(String)])
    }
  },
)

test.each(LANGUAGES)(
  'what Telegram shows without formatting has no codes: %s',
  async (language) => {
    const entries = await readEntries(language)
    const plain = entries.filter(({ key }) => /^(command|bot|button|example)-/.test(key))

    expect(plain.length).toBeGreaterThan(40)
    expect(plain.filter(({ text }) => text.includes('`'))).toEqual([])
  },
)

function isCommand(name: string): boolean {
  return COMMANDS.some((command) => command.name === name)
}

function isArgument(word: string): boolean {
  return WORDS.has(word) || /^[-@{\d\p{Lu}]/u.test(word)
}

async function readEntries(language: string): Promise<{ key: string; text: string }[]> {
  const file = new URL(`../../../src/bot/texts/${language}.ftl`, import.meta.url)
  const source = await readFile(file, 'utf8')
  return source.split(/^(?=[a-z])/m).flatMap((entry) => {
    const [, key, text] = /^([a-z][a-z0-9_-]*) =(.*)$/s.exec(entry) ?? []
    return key === undefined || text === undefined ? [] : [{ key, text }]
  })
}
