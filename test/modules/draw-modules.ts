import { type Arrows, arrowsBetween, childOf, moduleOf, shortestWay } from './check-modules.ts'
import type { Imports } from './read-imports.ts'

/** The contents of each module of the top, for the README's map. */
const HOLDS: Readonly<Record<string, string>> = {
  main: '`kopeck start`: the program, from its environment to its stop',
  demo: '`kopeck demo`: one conversation and one clip, played through the whole program',
  process:
    'one process: configuration, the life of its roles, listener, health, signals, start text',
  cli: 'the `kopeck` command: it starts the program, and accounts, spend, callbacks, backup, restore, conformance, reload',
  bot: 'the Telegram bot: `commands`, then `admin`, `talk` (turns and replies) and `media` (orders), then what they stand on',
  service: 'the Generation and Chat Service: HTTP, chat, generation, ledger, providers',
  playground: 'Telegram’s stand-in: a Bot API server for one machine, and its page in the browser',
  contract: 'the wire format, one file a resource; `client`: the service seen from outside',
  build:
    'the end of an installation, and the package: pages, parts of libraries, what production leaves out',
  platform: 'what all stand on: database, jobs, HTTP, time, tracing, log, guard',
}

/** The README's map, between its marks. */
const MAP = /(?<=<!-- npm run modules writes the map -->\n).*?(?=<!-- end of the map -->)/s

/** @returns The README with its map drawn from the imports. */
export function drawMap(readme: string, imports: Imports): string {
  const top = arrowsBetween(imports, (file) => childOf('', file))
  const rows = Object.entries(HOLDS)
    .filter(([module]) => top.has(module))
    .map(
      ([module, holds]) =>
        `| \`src/${pathOf(module, imports)}\` | ${holds} | ${namesOf(top.get(module))} |`,
    )
  const missing = [...top.keys()].filter((module) => HOLDS[module] === undefined)
  if (missing.length > 0) throw new Error(`Cannot draw the map: no word on ${missing.join(', ')}`)
  return readme.replace(
    MAP,
    `${['| module | holds | imports |', '| --- | --- | --- |', ...rows].join('\n')}\n`,
  )
}

function pathOf(module: string, imports: Imports): string {
  return imports.has(`${module}.ts`) ? `${module}.ts` : module
}

/** @returns The text of `docs/modules.md`. */
export function drawModules(imports: Imports): string {
  const top = arrowsBetween(imports, (file) => childOf('', file))
  const folders = [...top.keys()].filter((module) =>
    [...imports.keys()].some((file) => file.startsWith(`${module}/`)),
  )
  const inside = folders.map((folder) => `## ${folder}\n\n${draw(inFolder(imports, folder))}`)
  const rows = Array.from(
    arrowsBetween(imports, moduleOf),
    ([from, to]) => `| \`${from}\` | ${namesOf(to)} |`,
  )
  return `# Modules

Which module of \`src\` imports which, read from the imports themselves, types included. \`npm run modules\` writes
this file and the map in the README; the tests fail when they are out of date, on an arrow that the rules forbid
(\`test/modules/check-modules.ts\`), and on a circle among the folders and files of any folder.
A drawing leaves out an arrow where a longer way leads to the same module; the table has them all.

## The whole

${draw(top)}

${inside.join('\n\n')}

## Every arrow, two folders deep

| module | imports |
| --- | --- |
${rows.sort().join('\n')}
`
}

function inFolder(imports: Imports, folder: string): Arrows {
  return arrowsBetween(imports, (file) => childOf(folder, file)?.slice(folder.length + 1))
}

function namesOf(modules: ReadonlySet<string> = new Set()): string {
  return [...modules]
    .sort()
    .map((module) => `\`${module}\``)
    .join(', ')
}

function draw(arrows: Arrows): string {
  const lines = [...arrows].flatMap(([from, to]) => {
    return [...to]
      .filter((other) => !hasLongerWay(arrows, from, other))
      .map((other) => [from, other])
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
function nodeOf(module: string = ''): string {
  return `${module.replaceAll(/\W/g, '_')}_["${module}"]`
}
