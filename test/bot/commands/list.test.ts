import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { COMMANDS } from '../../../src/bot/commands/list.ts'
import { drawCommands } from '../../modules/draw-commands.ts'
import { ADMIN, setUp, useCommands } from './commands-setup.ts'

useCommands()

const README = readFileSync(join(import.meta.dirname, '../../../README.md'), 'utf8')

test("README's table of commands shows what the list of commands has; npm run modules writes it", () => {
  expect(README).toContain('<!-- npm run modules writes the commands -->\n| command |')
  expect(README).toBe(drawCommands(README))
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
