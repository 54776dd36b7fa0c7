import type { Imports } from './read-imports.ts'

/** Who imports whom: nodes with what they point to. */
export type Arrows = ReadonlyMap<string, ReadonlySet<string>>

/** The roles have rooms of their own. */
const ROLES = ['bot', 'service', 'platform', 'cli']

/** The only rooms that these may import. */
const ONLY: Readonly<Record<string, readonly string[]>> = {
  contract: ['platform'],
  platform: [],
  playground: ['platform'],
}

/** The two roles meet over HTTP and in `contract`, as the bot and the playground do; money knows no routes. */
const NEVER: readonly (readonly [from: string, to: string])[] = [
  ['bot', 'service'],
  ['bot', 'playground'],
  ['service', 'bot'],
  ['service', 'contract/client'],
  ['service', 'playground'],
  ['playground', 'bot'],
  ['playground', 'service'],
  ['playground', 'platform/database'],
  ['service/ledger', 'service/http'],
]

/** Pages run in a browser: of the rest each imports this one file, and no other room imports a page. */
const PAGES: Readonly<Record<string, string>> = {
  'bot/admin/dashboard/page': 'bot/admin/dashboard/api.ts',
  'playground/page': 'playground/web/api.ts',
}

/** The folder of a file, in a role the folder below that; a page, or a file that is in none, is its own room. */
export function roomOf(file: string): string {
  const page = pageOf(file)
  if (page !== undefined) return page
  const parts = file.replace(/\.tsx?$/, '').split('/')
  return parts.slice(0, ROLES.includes(parts[0] ?? '') ? 2 : 1).join('/')
}

/** Reduces imports between files to arrows between rooms. */
export function arrowsBetween(imports: Imports, room = roomOf): Arrows {
  const arrows = new Map<string, Set<string>>()
  for (const [file, imported] of imports) {
    const from = room(file)
    const targets = arrows.get(from) ?? new Set()
    for (const to of imported.map(room)) if (to !== from) targets.add(to)
    arrows.set(from, targets)
  }
  return arrows
}

/** @returns A sentence for each circle, between rooms or files, and each arrow that the rules forbid. */
export function findProblems(imports: Imports): string[] {
  const rooms = arrowsBetween(imports)
  const files = new Map(Array.from(imports, ([file, imported]) => [file, new Set(imported)]))
  return [
    ...findForbidden(imports),
    ...findCircles(rooms).map((circle) => `rooms in a circle: ${explain(circle, imports)}`),
    ...findCircles(files).map((circle) => `files in a circle: ${circle.join(' → ')}`),
  ]
}

function findForbidden(imports: Imports): string[] {
  return Array.from(imports, ([file, imported]) =>
    imported.filter((other) => isForbidden(file, other)).map((other) => `${file} imports ${other}`),
  ).flat()
}

function isForbidden(from: string, to: string): boolean {
  const [room, other] = [topOf(from), topOf(to)]
  const isOutside = room !== other && ONLY[room] !== undefined && !ONLY[room].includes(other)
  const page = pageOf(from)
  if (page !== pageOf(to) && (page === undefined || PAGES[page] !== to)) return true
  return isOutside || NEVER.some((rule) => isIn(rule[0], from) && isIn(rule[1], to))
}

function pageOf(file: string): string | undefined {
  return Object.keys(PAGES).find((page) => isIn(page, file))
}

function isIn(room: string, file: string): boolean {
  return file.startsWith(`${room}/`)
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

/** Names an import for each arrow of a circle between rooms. */
function explain(circle: readonly string[], imports: Imports): string {
  const reasons = circle.slice(1).map((to, index) => {
    for (const [file, imported] of imports) {
      const target = imported.find((other) => roomOf(other) === to)
      if (roomOf(file) === circle[index] && target !== undefined) return `${file} → ${target}`
    }
    return ''
  })
  return `${circle.join(' → ')} (${reasons.join('; ')})`
}
