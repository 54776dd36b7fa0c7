/**
 * The file `.env`, changed as a person would change it by hand.
 *
 * Invariant: after a failure or a kill the file is either old or new, and its other variables, comments and lines are
 * unchanged.
 */
import { open, readFile, realpath, rename, rm } from 'node:fs/promises'
import { isDeepStrictEqual, parseEnv } from 'node:util'
import { unlessMissing } from '../program.ts'

/** Values by the names of their variables. As changes, undefined removes a variable. */
export type Env = Readonly<Record<string, string | undefined>>

const MODE = 0o600

/** One assignment as Node reads it, with the end of its line: a value in quotes may have several lines. */
const ASSIGNMENT =
  /^[ \t]*(?:export[ \t]+)?([^\s=#]+)[ \t]*=[ \t]*(?:"[^"]*"|'[^']*'|`[^`]*`)?[^\n]*(?:\n|$)/gm

const PLAIN = /^[\w./:@,=+*-]+$/

export async function readEnvFile(path: string): Promise<Readonly<Record<string, string>>> {
  return parse(await readText(path))
}

/** Changes variables of a file, which is created if it is missing, readable only by its owner. */
export async function writeEnvFile(path: string, changes: Env): Promise<void> {
  const changed = changeEnv(await readText(path), changes)
  // A link remains, and its target is replaced.
  const target = (await realpath(path).catch(unlessMissing)) ?? path
  const beside = `${target}.${process.pid}.new`
  const file = await open(beside, 'wx', MODE)
  try {
    await file.writeFile(changed)
    await file.sync()
    await rename(beside, target)
  } catch (error) {
    await rm(beside, { force: true })
    throw error
  } finally {
    await file.close()
  }
}

/**
 * Changes variables in the text of a file. A variable keeps its place; a new variable is added at the end.
 *
 * @throws {Error} If Node would not read exactly the old variables with the changes.
 */
export function changeEnv(text: string, changes: Env): string {
  const left = new Map(Object.entries(changes))
  const replaced = text.replaceAll(ASSIGNMENT, (assignment, name: string) => {
    if (!Object.hasOwn(changes, name)) return assignment
    const value = left.get(name)
    // The last assignment of a variable counts for Node: a second one is removed.
    left.delete(name)
    return writeAssignment(name, value)
  })
  const added = [...left].map(([name, value]) => writeAssignment(name, value)).join('')
  const isOpen = added !== '' && replaced !== '' && !replaced.endsWith('\n')
  const changed = `${replaced}${isOpen ? '\n' : ''}${added}`
  const wanted = Object.entries({ ...parse(text), ...changes })
  const set = Object.fromEntries(wanted.filter(([, value]) => value !== undefined))
  if (isDeepStrictEqual(parse(changed), set)) return changed
  const names = Object.keys(changes).join(', ')
  throw new Error(
    `Cannot change .env: Node would read it otherwise than it was meant, change ${names} by hand; nothing was written`,
  )
}

/** Prefers single quotes: Docker Compose and shells expand no dollar in them. */
function writeAssignment(name: string, value: string | undefined): string {
  if (value === undefined) return ''
  if (PLAIN.test(value)) return `${name}=${value}\n`
  const mark = ["'", '`', '"'].find((mark) => !value.includes(mark))
  // Node reads a backslash and an n in double quotes as a line break.
  if (mark === undefined || (mark === '"' && value.includes('\\n'))) {
    throw new Error(`Cannot write ${name}: no kind of quotes is left for it; nothing was written`)
  }
  return `${name}=${mark}${value}${mark}\n`
}

function parse(text: string): Record<string, string> {
  return { ...parseEnv(text) } as Record<string, string>
}

async function readText(path: string): Promise<string> {
  return (await readFile(path, 'utf8').catch(unlessMissing)) ?? ''
}
