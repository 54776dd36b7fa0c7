import { type Arrows, arrowsBetween, roomOf, shortestWay } from './check-rooms.ts'
import type { Imports } from './read-imports.ts'

/** @returns The text of `docs/rooms.md`. */
export function drawRooms(imports: Imports): string {
  const rooms = arrowsBetween(imports)
  const whole = arrowsBetween(imports, (file) => roomOf(file).split('/')[0] ?? file)
  const rows = Array.from(rooms, ([from, to]) => `| \`${from}\` | ${namesOf(to)} |`)
  return `# Rooms

Which room of \`src\` imports which, read from the imports themselves, types included. \`npm run rooms\` writes
this file; the tests fail when it is out of date, and on a circle, between rooms or between files.
A drawing leaves out an arrow where a longer way leads to the same room; the table has them all.

## The whole

${draw(whole)}

## bot

${draw(inside(rooms, 'bot'))}

## service

${draw(inside(rooms, 'service'))}

## Every arrow

| room | imports |
| --- | --- |
${rows.sort().join('\n')}
`
}

function inside(arrows: Arrows, role: string): Arrows {
  const isInside = (room: string) => room.startsWith(`${role}/`)
  const own = [...arrows].filter(([from]) => isInside(from))
  return new Map(own.map(([from, to]) => [from, new Set([...to].filter(isInside))]))
}

function namesOf(rooms: ReadonlySet<string>): string {
  return [...rooms]
    .sort()
    .map((room) => `\`${room}\``)
    .join(', ')
}

function draw(arrows: Arrows): string {
  const lines = [...arrows].flatMap(([from, to]) => {
    return [...to].filter((room) => !hasLongerWay(arrows, from, room)).map((room) => [from, room])
  })
  const drawn = lines.map((ends) => `  ${ends.map(nodeOf).join(' --> ')}`).sort()
  return ['```mermaid', 'graph TD', ...drawn, '```'].join('\n')
}

function hasLongerWay(arrows: Arrows, from: string, to: string): boolean {
  return [...(arrows.get(from) ?? [])].some(
    (next) => next !== to && next !== from && shortestWay(arrows, next, to) !== undefined,
  )
}

/** Mermaid takes some words, such as `end`, for its own, and slashes for shapes. */
function nodeOf(room: string = ''): string {
  return `${room.replaceAll(/\W/g, '_')}_["${room}"]`
}
