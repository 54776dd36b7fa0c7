import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'

const SRC = join(import.meta.dirname, '../src')

/** The imports of each file of `src`, types included; all paths start there. */
type Imports = ReadonlyMap<string, readonly string[]>

/** The other top modules that a module may import. Modules that are not listed start the program and may import all. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  bot: ['contract', 'platform'],
  service: ['contract', 'platform'],
  playground: ['platform'],
  contract: ['platform'],
  platform: [],
}

/** A service is not its own client; the ledger knows no routes. */
const FORBIDDEN: readonly (readonly [from: string, to: string])[] = [
  ['service', 'contract/client'],
  ['service/ledger', 'service/http'],
]

/** Pages run in a browser: of other modules each imports only these, and only pages import a page. */
const PAGES: Readonly<Record<string, readonly string[]>> = {
  'playground/page': ['playground/content/rich-text.ts', 'playground/web/api.ts'],
}

const isWithin = (folder: string, file: string) => file === folder || file.startsWith(`${folder}/`)
const pageOf = (file: string) => Object.keys(PAGES).find((page) => isWithin(page, file))
const topOf = (file: string) => file.split('/')[0] ?? file
const isGenerated = (file: string) => isWithin('platform/database/generated', file)

async function readImports(): Promise<Imports> {
  const names = await readdir(SRC, { recursive: true })
  const imports = new Map<string, string[]>()
  for (const file of names.filter((name) => /\.tsx?$/.test(name) && !isGenerated(name))) {
    imports.set(file, importsOf(await readFile(join(SRC, file), 'utf8'), file))
  }
  return imports
}

function importsOf(text: string, file: string): string[] {
  const specifiers = text.matchAll(/^[^/*\n]*?(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']+)'/gm)
  return Array.from(specifiers, ([, specifier = '']) =>
    relative('/', join('/', dirname(file), specifier)),
  ).filter((path) => !isGenerated(path))
}

function isForbidden(from: string, to: string): boolean {
  const [page, top, other] = [pageOf(from), topOf(from), topOf(to)]
  if (page !== pageOf(to)) {
    return page === undefined || !PAGES[page]?.some((allowed) => isWithin(allowed, to))
  }
  const isOutside = top !== other && ALLOWED[top]?.includes(other) === false
  return isOutside || FORBIDDEN.some((rule) => isWithin(rule[0], from) && isWithin(rule[1], to))
}

function forbiddenIn(imports: Imports): string[] {
  return Array.from(imports, ([file, imported]) =>
    imported.filter((other) => isForbidden(file, other)).map((other) => `${file} → ${other}`),
  ).flat()
}

/**
 * Finds one cycle in each folder that has any, among the folders and files right below it. That covers cycles of files:
 * a cycle of files leaves and enters something in the folder that holds them all.
 */
function cyclesIn(imports: Imports): string[] {
  const folders = new Set([...imports.keys()].flatMap((file) => parentsOf(file)))
  return [...folders].flatMap((folder) => cycleBelow(folder, imports) ?? [])
}

function parentsOf(file: string): string[] {
  const parts = file.split('/')
  return parts.map((_, index) => parts.slice(0, index).join('/'))
}

function cycleBelow(folder: string, imports: Imports): string | undefined {
  const arrows = new Map<string, Set<string>>()
  for (const [file, imported] of imports) {
    const from = childOf(folder, file)
    if (from === undefined) continue
    const targets = arrows.get(from) ?? new Set()
    for (const to of imported.map((other) => childOf(folder, other))) {
      if (to !== undefined && to !== from) targets.add(to)
    }
    arrows.set(from, targets)
  }
  const finished = new Set<string>()
  const visit = (node: string, path: readonly string[]): string | undefined => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node].join(' → ')
    if (finished.has(node)) return undefined
    for (const next of arrows.get(node) ?? []) {
      const cycle = visit(next, [...path, node])
      if (cycle !== undefined) return cycle
    }
    finished.add(node)
    return undefined
  }
  return [...arrows.keys()].map((node) => visit(node, [])).find((cycle) => cycle !== undefined)
}

/** Returns the folder or file right below `folder` that contains `file`, if any. */
function childOf(folder: string, file: string): string | undefined {
  if (folder !== '' && !file.startsWith(`${folder}/`)) return undefined
  const name = file.slice(folder === '' ? 0 : folder.length + 1).split('/')[0] ?? ''
  return join(folder, name.replace(/\.tsx?$/, ''))
}

test('the modules of src import nothing that the rules forbid', async () => {
  expect(forbiddenIn(await readImports())).toEqual([])
})

test('no folders or files of src import each other in a cycle', async () => {
  expect(cyclesIn(await readImports())).toEqual([])
})

test('an import that the rules forbid is named', () => {
  const imports = new Map([
    ['bot/queue/a.ts', ['service/ledger/b.ts', 'contract/chat.ts']],
    ['service/ledger/b.ts', ['service/http/routes/c.ts', 'contract/client/e.ts']],
    ['playground/world/bot.ts', ['playground/page/app.tsx']],
    ['playground/page/app.tsx', ['playground/web/api.ts', 'playground/world/bot.ts']],
  ])

  expect(forbiddenIn(imports)).toEqual([
    'bot/queue/a.ts → service/ledger/b.ts',
    'service/ledger/b.ts → service/http/routes/c.ts',
    'service/ledger/b.ts → contract/client/e.ts',
    'playground/world/bot.ts → playground/page/app.tsx',
    'playground/page/app.tsx → playground/world/bot.ts',
  ])
})

test('a cycle of folders and a cycle of files are named', () => {
  const imports = new Map([
    ['bot/talk/turns/a.ts', ['bot/talk/reply/draft/b.ts']],
    ['bot/talk/reply/c.ts', ['bot/talk/turns/d.ts']],
    ['platform/a.ts', ['platform/b.ts']],
    ['platform/b.ts', ['platform/a.ts']],
  ])

  expect(cyclesIn(imports)).toEqual([
    'bot/talk/turns → bot/talk/reply → bot/talk/turns',
    'platform/a → platform/b → platform/a',
  ])
})
