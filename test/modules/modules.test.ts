import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findProblems, moduleOf } from './check-modules.ts'
import { drawDatabase, readPlainSql } from './draw-database.ts'
import { drawMap, drawModules } from './draw-modules.ts'
import { type Imports, importsOf, readImports } from './read-imports.ts'

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

test('moduleOf() goes two folders deep, or to a file or a page that is above that', () => {
  expect(
    [
      'main.ts',
      'bot/bot.ts',
      'bot/telegram/inbox/inbox.ts',
      'bot/admin/dashboard/page/app.tsx',
    ].map(moduleOf),
  ).toEqual(['main', 'bot/bot', 'bot/telegram', 'bot/admin/dashboard/page'])
})

test('findProblems() says nothing of imports that lead one way', () => {
  const imports = new Map([
    ['main.ts', ['bot/bot.ts', 'service/service.ts', 'platform/database/pool.ts']],
    ['bot/bot.ts', ['contract/client/client.ts', 'platform/database/pool.ts']],
    ['contract/client/client.ts', ['contract/chat.ts']],
  ])

  expect(findProblems(imports)).toEqual([])
})

test('findProblems() names both files of an import that the rules forbid', () => {
  const imports = new Map([
    ['bot/queue/a.ts', ['service/ledger/b.ts']],
    ['contract/chat.ts', ['bot/models.ts']],
    ['service/ledger/b.ts', ['service/http/routes/c.ts']],
    ['service/chat/d.ts', ['contract/client/e.ts']],
    ['playground/f.ts', ['contract/chat.ts']],
  ])

  const problems = findProblems(imports)

  expect(problems.filter((problem) => !problem.startsWith('a circle'))).toEqual([
    'bot/queue/a.ts imports service/ledger/b.ts',
    'contract/chat.ts imports bot/models.ts',
    'service/ledger/b.ts imports service/http/routes/c.ts',
    'service/chat/d.ts imports contract/client/e.ts',
    'playground/f.ts imports contract/chat.ts',
  ])
})

test('findProblems() lets a page import its api.ts and what pages share, and no module import either', () => {
  const imports = new Map([
    [
      'bot/admin/dashboard/page/main.tsx',
      [
        'bot/admin/dashboard/api.ts',
        'bot/admin/dashboard/page/app.tsx',
        'platform/page/language.ts',
      ],
    ],
    ['bot/admin/dashboard/page/app.tsx', ['bot/people/users.ts']],
    ['bot/bot.ts', ['bot/admin/dashboard/page/app.tsx', 'platform/page/language.ts']],
    ['platform/page/language.ts', ['platform/guard.ts']],
  ])

  expect(findProblems(imports)).toEqual([
    'bot/admin/dashboard/page/app.tsx imports bot/people/users.ts',
    'bot/bot.ts imports bot/admin/dashboard/page/app.tsx',
    'bot/bot.ts imports platform/page/language.ts',
    'platform/page/language.ts imports platform/guard.ts',
  ])
})

test('findProblems() explains a circle between folders by an import for each arrow, however deep they are', () => {
  const imports = new Map([
    ['bot/talk/turns/a.ts', ['bot/talk/reply/draft/b.ts']],
    ['bot/talk/reply/draft/b.ts', []],
    ['bot/talk/reply/c.ts', ['bot/talk/turns/d.ts']],
    ['bot/talk/turns/d.ts', []],
  ])

  expect(findProblems(imports)).toEqual([
    'a circle in src/bot/talk: bot/talk/turns → bot/talk/reply → bot/talk/turns (bot/talk/turns/a.ts → bot/talk/reply/draft/b.ts; bot/talk/reply/c.ts → bot/talk/turns/d.ts)',
  ])
})

test('findProblems() finds a circle between a folder and a file beside it', () => {
  const imports = new Map([
    ['playground/world.ts', ['playground/updates/a.ts']],
    ['playground/updates/a.ts', ['playground/world.ts']],
  ])

  expect(findProblems(imports)).toEqual([
    'a circle in src/playground: playground/world → playground/updates → playground/world (playground/world.ts → playground/updates/a.ts; playground/updates/a.ts → playground/world.ts)',
  ])
})

test('findProblems() finds a circle between files of one folder', () => {
  const imports = new Map([
    ['platform/a.ts', ['platform/b.ts']],
    ['platform/b.ts', ['platform/c.ts']],
    ['platform/c.ts', ['platform/b.ts']],
  ])

  expect(findProblems(imports)).toEqual([
    'a circle in src/platform: platform/b → platform/c → platform/b (platform/b.ts → platform/c.ts; platform/c.ts → platform/b.ts)',
  ])
})

const THREE = new Map([
  ['main.ts', ['bot/a.ts', 'contract/b.ts']],
  ['bot/a.ts', ['contract/b.ts']],
  ['contract/b.ts', []],
])

test('drawModules() leaves out of the drawing, not of the table, an arrow where a longer way leads', () => {
  const drawn = drawModules(THREE)

  expect(drawn).toContain('main_["main"] --> bot_["bot"]')
  expect(drawn).not.toContain('main_["main"] --> contract_["contract"]')
  expect(drawn).toContain('| `main` | `bot/a`, `contract/b` |')
})

test('drawMap() writes between its marks what each module of the top holds and imports', () => {
  const readme =
    'a\n<!-- npm run modules writes the map -->\nyesterday\n<!-- end of the map -->\nb\n'

  const drawn = drawMap(readme, THREE)

  expect(drawn).toMatch(/^\| `src\/main\.ts` \| .+ \| `bot`, `contract` \|$/m)
  expect(drawn).not.toContain('yesterday')
  expect(drawMap(drawn, THREE)).toBe(drawn)
})

test('the modules of src stand in no circle and import nothing that the rules forbid', async () => {
  expect(findProblems(await readImports())).toEqual([])
})

test.each([
  { page: 'docs/modules.md', draw: (_: string, imports: Imports) => drawModules(imports) },
  { page: 'README.md', draw: drawMap },
])('$page shows the imports as they are; npm run modules writes it', async ({ page, draw }) => {
  const committed = await readFile(join(import.meta.dirname, '../..', page), 'utf8')

  expect(committed).toBe(draw(committed, await readImports()))
})

test('drawDatabase() puts each file with plain SQL below its reason', () => {
  const page = '<!-- npm run modules writes the list -->\nyesterday\n<!-- end of the list -->\n'

  const drawn = drawDatabase(
    page,
    new Map([
      ['bot/a.ts', 'prisma.$queryRaw`SELECT 1`'],
      ['bot/b.ts', 'prisma.$executeRaw`DELETE FROM bot.c`'],
      ['service/d.ts', 'sql.query(TEXT)'],
    ]),
  )

  expect(drawn).toMatch(
    /The bot’s writes.*\n\n- `src\/bot\/b\.ts`\n\nThe bot’s reads.*\n\n- `src\/bot\/a\.ts`\n/,
  )
  expect(drawn).toMatch(/The service.*\n\n- `src\/service\/d\.ts`\n/)
  expect(drawn).not.toContain('yesterday')
  expect(drawDatabase(drawn, new Map())).not.toContain('src/')
})

test('docs/database.md lists every file with plain SQL; npm run modules writes it', async () => {
  const committed = await readFile(join(import.meta.dirname, '../../docs/database.md'), 'utf8')
  const plainSql = await readPlainSql(await readImports())

  expect(plainSql.size).toBeGreaterThan(50)
  expect(committed).toBe(drawDatabase(committed, plainSql))
})
