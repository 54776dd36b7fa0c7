import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findProblems, roomOf } from './check-rooms.ts'
import { drawRooms } from './draw-rooms.ts'
import { importsOf, readImports } from './read-imports.ts'

test('importsOf() finds every way to import a file of src, and nothing else', () => {
  const text = `
import pg from 'pg'
import { a } from './a.ts'
import type { B } from '../time/b.ts'
export { c } from './c/c.ts'
import {
  type D,
  e,
} from '../../log.ts'
const f = await import('./f.ts')
import './g.ts'
// import './never.ts'
`

  expect(importsOf(text, 'bot/queue/queue.ts')).toEqual([
    'bot/queue/a.ts',
    'bot/queue/c/c.ts',
    'bot/queue/f.ts',
    'bot/queue/g.ts',
    'bot/time/b.ts',
    'log.ts',
  ])
})

test('roomOf() is the folder, in a role the folder below, or a file that is in none', () => {
  expect(
    ['main.ts', 'time/clock.ts', 'bot/bot.ts', 'bot/telegram/inbox/inbox.ts'].map(roomOf),
  ).toEqual(['main', 'time', 'bot/bot', 'bot/telegram'])
})

test('findProblems() says nothing of imports that lead one way', () => {
  const imports = new Map([
    ['main.ts', ['bot/bot.ts', 'service/service.ts', 'database/pool.ts']],
    ['bot/bot.ts', ['client/client.ts', 'database/pool.ts']],
    ['client/client.ts', ['contract/chat.ts']],
  ])

  expect(findProblems(imports)).toEqual([])
})

test('findProblems() names both files of an import that the rules forbid', () => {
  const imports = new Map([
    ['bot/queue/a.ts', ['service/ledger/b.ts']],
    ['contract/chat.ts', ['bot/clock.ts']],
    ['service/ledger/b.ts', ['service/http/routes/c.ts']],
  ])

  expect(findProblems(imports)).toEqual([
    'bot/queue/a.ts imports service/ledger/b.ts',
    'contract/chat.ts imports bot/clock.ts',
    'service/ledger/b.ts imports service/http/routes/c.ts',
  ])
})

test('findProblems() lets a page import its api.ts alone, and no room import a page', () => {
  const imports = new Map([
    ['bot/admin/dashboard/page/main.tsx', ['bot/admin/dashboard/api.ts', 'bot/admin/dashboard/page/app.tsx']],
    ['bot/admin/dashboard/page/app.tsx', ['bot/users/users.ts']],
    ['bot/bot.ts', ['bot/admin/dashboard/page/app.tsx']],
  ])

  expect(findProblems(imports)).toEqual([
    'bot/admin/dashboard/page/app.tsx imports bot/users/users.ts',
    'bot/bot.ts imports bot/admin/dashboard/page/app.tsx',
  ])
})

test('findProblems() explains a circle between rooms by an import for each arrow', () => {
  const imports = new Map([
    ['bot/queue/a.ts', ['bot/reply/b.ts']],
    ['bot/reply/b.ts', []],
    ['bot/reply/c.ts', ['bot/queue/d.ts']],
    ['bot/queue/d.ts', []],
  ])

  expect(findProblems(imports)).toEqual([
    'rooms in a circle: bot/queue → bot/reply → bot/queue (bot/queue/a.ts → bot/reply/b.ts; bot/reply/c.ts → bot/queue/d.ts)',
  ])
})

test('findProblems() finds a circle between files of one room', () => {
  const imports = new Map([
    ['time/a.ts', ['time/b.ts']],
    ['time/b.ts', ['time/c.ts']],
    ['time/c.ts', ['time/b.ts']],
  ])

  expect(findProblems(imports)).toEqual(['files in a circle: time/b.ts → time/c.ts → time/b.ts'])
})

test('drawRooms() leaves out of the drawing, not of the table, an arrow where a longer way leads', () => {
  const imports = new Map([
    ['main.ts', ['client/a.ts', 'contract/b.ts']],
    ['client/a.ts', ['contract/b.ts']],
    ['contract/b.ts', []],
  ])

  const drawn = drawRooms(imports)

  expect(drawn).toContain('main_["main"] --> client_["client"]')
  expect(drawn).not.toContain('main_["main"] --> contract_["contract"]')
  expect(drawn).toContain('| `main` | `client`, `contract` |')
})

test('the rooms of src stand in no circle and import nothing that the rules forbid', async () => {
  expect(findProblems(await readImports())).toEqual([])
})

test('docs/rooms.md shows the imports as they are; npm run rooms writes it', async () => {
  const committed = await readFile(join(import.meta.dirname, '../../docs/rooms.md'), 'utf8')

  expect(committed).toBe(drawRooms(await readImports()))
})
