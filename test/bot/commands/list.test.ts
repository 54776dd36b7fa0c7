import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { COMMANDS } from '../../../src/bot/commands/list.ts'
import { createTexts } from '../../../src/bot/locales/texts.ts'
import { ADMIN, setUp } from './commands-setup.ts'

const README = readFileSync(join(import.meta.dirname, '../../../README.md'), 'utf8')
const WHO = { everybody: 'everybody allowed', viewers: 'admins and viewers', admins: 'admins' }

test("README's table of commands says what the list of commands says", () => {
  const texts = createTexts()
  const rows = COMMANDS.filter(({ isHidden }) => !isHidden).map(({ name, usage, audience }) => {
    const typed = ['/', name, usage === undefined ? '' : ` ${usage}`].join('')
    const cells = [`\`${typed}\``, WHO[audience], texts.t('en', `command-${name}`)]
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  })

  expect(README).toContain(['| --- | --- | --- |', ...rows].join('\n'))
})

test('/help lists every command but itself and those that the menu leaves out', async () => {
  const { send, answerTo } = await setUp()

  const help = (await answerTo(await send('/help', { userId: ADMIN }))) ?? ''

  const listed = [...help.matchAll(/^\/(\w+) — /gm)].map(([, name]) => name)
  const shown = COMMANDS.filter(({ isHidden, name }) => !isHidden && name !== 'help')
  expect(listed).toEqual(shown.map(({ name }) => name))
})

test('no two commands share a name', () => {
  expect(new Set(COMMANDS.map(({ name }) => name)).size).toBe(COMMANDS.length)
})
