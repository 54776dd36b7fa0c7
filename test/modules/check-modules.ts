import type { Imports } from './read-imports.ts'

/** The imports as a graph: nodes with those they point to. */
export type Arrows = ReadonlyMap<string, ReadonlySet<string>>

/** The only modules of the top that these may import. The others start the program, and may import all. */
const ONLY: Readonly<Record<string, readonly string[]>> = {
  bot: ['contract', 'platform'],
  service: ['contract', 'platform'],
  playground: ['platform'],
  contract: ['platform'],
  platform: [],
}

/** A service is not its own client; money knows no routes; the playground keeps its state by itself. */
const NEVER: readonly (readonly [from: string, to: string])[] = [
  ['service', 'contract/client'],
  ['service/ledger', 'service/http'],
  ['playground', 'platform/database'],
]

/**
 * Pages run in a browser: of the rest each imports this one file and what the pages share, and no other module imports
 * either.
 */
const PAGES: Readonly<Record<string, readonly string[]>> = {
  'bot/admin/dashboard/page': ['bot/admin/dashboard/api.ts', 'platform/page'],
  'playground/page': ['playground/web/api.ts', 'platform/page'],
  'platform/page': [],
}

/** Returns what of `folder` a file is in: the folder right below, or the file itself; none if it is elsewhere. */
export function childOf(folder: string, file: string): string | undefined {
  const prefix = folder === '' ? '' : `${folder}/`
  if (!file.startsWith(prefix)) return undefined
  const name = file.slice(prefix.length).split('/')[0] ?? ''
  return prefix + name.replace(/\.tsx?$/, '')
}

/** Returns the module of a file, two folders deep at most; a page is a module of its own. */
export function moduleOf(file: string): string {
  const parts = file.replace(/\.tsx?$/, '').split('/')
  return pageOf(file) ?? parts.slice(0, 2).join('/')
}

/** Reduces imports between files to arrows between what `nodeOf` makes of them; without a node a file has none. */
export function arrowsBetween(
  imports: Imports,
  nodeOf: (file: string) => string | undefined,
): Arrows {
  const arrows = new Map<string, Set<string>>()
  for (const [file, imported] of imports) {
    const from = nodeOf(file)
    if (from === undefined) continue
    const targets = arrows.get(from) ?? new Set()
    for (const to of imported.map(nodeOf)) if (to !== undefined && to !== from) targets.add(to)
    arrows.set(from, targets)
  }
  return arrows
}

/**
 * Finds a sentence for each arrow that the rules forbid, and for each circle.
 *
 * Circles are looked for in every folder, among the folders and files right below it. That finds those between
 * files, too: a circle of files leaves and enters something in the folder that holds them all.
 */
export function findProblems(imports: Imports): string[] {
  return [...findForbidden(imports), ...foldersOf(imports).flatMap((folder) => circlesIn(folder))]

  function circlesIn(folder: string): string[] {
    const arrows = arrowsBetween(imports, (file) => childOf(folder, file))
    return findCircles(arrows).map(
      (circle) => `a circle in src/${folder}: ${explain(circle, imports, folder)}`,
    )
  }
}

function foldersOf(imports: Imports): string[] {
  const folders = new Set<string>([''])
  for (const file of imports.keys()) {
    const parts = file.split('/').slice(0, -1)
    for (const index of parts.keys()) folders.add(parts.slice(0, index + 1).join('/'))
  }
  return [...folders].sort()
}

function findForbidden(imports: Imports): string[] {
  return Array.from(imports, ([file, imported]) =>
    imported.filter((other) => isForbidden(file, other)).map((other) => `${file} imports ${other}`),
  ).flat()
}

function isForbidden(from: string, to: string): boolean {
  const [top, other] = [topOf(from), topOf(to)]
  const isOutside = top !== other && ONLY[top] !== undefined && !ONLY[top].includes(other)
  const page = pageOf(from)
  const allowed = page === undefined ? [] : (PAGES[page] ?? [])
  const isAllowed = allowed.some((other) => other === to || isIn(other, to))
  if (page !== pageOf(to) && !isAllowed) return true
  return isOutside || NEVER.some((rule) => isIn(rule[0], from) && isIn(rule[1], to))
}

function pageOf(file: string): string | undefined {
  return Object.keys(PAGES).find((page) => isIn(page, file))
}

function isIn(folder: string, file: string): boolean {
  return file.startsWith(`${folder}/`)
}

function topOf(file: string): string {
  return file.split('/')[0] ?? file
}

/** @returns One shortest circle for each group of nodes that reach each other, its first node again at its end. */
function findCircles(arrows: Arrows): string[][] {
  const circles: string[][] = []
  const seen = new Set<string>()
  for (const node of arrows.keys()) {
    const circle = seen.has(node) ? undefined : shortestWay(arrows, node, node)
    if (circle === undefined) continue
    for (const other of arrows.keys()) {
      if (shortestWay(arrows, node, other) && shortestWay(arrows, other, node)) seen.add(other)
    }
    circles.push(circle)
  }
  return circles
}

/** @returns The nodes of a shortest way of at least one arrow, both ends included. */
export function shortestWay(arrows: Arrows, from: string, to: string): string[] | undefined {
  const cameFrom = new Map<string, string>()
  const queue = [from]
  for (const node of queue) {
    for (const next of arrows.get(node) ?? []) {
      if (!cameFrom.has(next)) queue.push(next)
      if (!cameFrom.has(next)) cameFrom.set(next, node)
      if (next !== to) continue
      const way = [to]
      for (let at = node; at !== from; at = cameFrom.get(at) ?? from) way.unshift(at)
      return [from, ...way]
    }
  }
  return undefined
}

/** Names an import for each arrow of a circle. */
function explain(circle: readonly string[], imports: Imports, folder: string): string {
  const reasons = circle.slice(1).map((to, index) => {
    for (const [file, imported] of imports) {
      const target = imported.find((other) => childOf(folder, other) === to)
      if (childOf(folder, file) === circle[index] && target !== undefined) {
        return `${file} → ${target}`
      }
    }
    return ''
  })
  return `${circle.join(' → ')} (${reasons.join('; ')})`
}
