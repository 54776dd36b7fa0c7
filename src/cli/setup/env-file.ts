/**
 * The file `.env`, changed as a person would change it by hand.
 *
 * Invariant: after any failure, also a kill in the middle, the file is as it was or as it was to be, and its other
 * variables, comments and lines are as they were.
 */
import { open, readFile, realpath, rename, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { isDeepStrictEqual, parseEnv } from 'node:util'

/** Values by the names of their variables; undefined takes a variable out. */
export type EnvChanges = ReadonlyMap<string, string | undefined>

const MODE = 0o600

/** One assignment as Node reads it, with the end of its line: a value in quotes may have several lines. */
const ASSIGNMENT =
  /^[ \t]*(?:export[ \t]+)?([^\s=#]+)[ \t]*=[ \t]*(?:"[^"]*"|'[^']*'|`[^`]*`)?[^\n]*(?:\n|$)/gm

const PLAIN = /^[\w./:@,=+*-]+$/

/** Reads the variables of a file. @returns None where there is no file. */
export async function readEnvFile(path: string): Promise<Readonly<Record<string, string>>> {
  return parse(await readText(path))
}

/**
 * Changes variables of a file, which is made where there is none, and is for its owner alone from then on.
 *
 * @throws {Error} If it cannot be written so that Node reads back exactly what was meant. The file is as it was.
 */
export async function writeEnvFile(path: string, changes: EnvChanges): Promise<void> {
  const text = await readText(path)
  const changed = changeEnv(text, changes)
  const target = await findTarget(path)
  const beside = `${target}.${process.pid}.new`
  const file = await open(beside, 'wx', MODE)
  try {
    try {
      // The mode that it was opened with is less what umask takes.
      await file.chmod(MODE)
      await file.writeFile(changed)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(beside, target)
  } catch (error) {
    await rm(beside, { force: true })
    throw error
  }
}

/**
 * Changes variables in the text of a file. A variable keeps its place; a new one is added at the end.
 *
 * @throws {Error} If Node would not read exactly the old variables with the changes from it.
 */
export function changeEnv(text: string, changes: EnvChanges): string {
  const left = new Map(changes)
  const replaced = text.replaceAll(ASSIGNMENT, (assignment, name: string) => {
    if (!changes.has(name)) return assignment
    const value = left.get(name)
    // Of a variable that stands there twice Node takes the last one.
    left.delete(name)
    return value === undefined ? '' : writeAssignment(name, value)
  })
  const added = [...left].flatMap(([name, value]) =>
    value === undefined ? [] : [writeAssignment(name, value)],
  )
  const isOpen = added.length > 0 && replaced !== '' && !replaced.endsWith('\n')
  const changed = [replaced, isOpen ? '\n' : '', ...added].join('')
  if (!isDeepStrictEqual(parse(changed), merge(parse(text), changes))) {
    throw new Error(
      `Cannot change .env: Node would read it otherwise than it was meant, change ${[...changes.keys()].join(', ')} by hand; nothing was written`,
    )
  }
  return changed
}

function merge(variables: Record<string, string>, changes: EnvChanges): Record<string, string> {
  const merged = new Map([...Object.entries(variables), ...changes])
  const set = [...merged].flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return Object.fromEntries(set)
}

function writeAssignment(name: string, value: string): string {
  return `${name}=${quote(name, value)}\n`
}

/** Single quotes first: within them Docker Compose and shells take a dollar as it is, too. */
function quote(name: string, value: string): string {
  if (PLAIN.test(value)) return value
  const mark = ["'", '`', '"'].find((mark) => !value.includes(mark))
  // Within double quotes Node makes the end of a line of a backslash and an n.
  if (mark === undefined || (mark === '"' && value.includes('\\n'))) {
    throw new Error(`Cannot write ${name}: no kind of quotes is left for it; nothing was written`)
  }
  return `${mark}${value}${mark}`
}

function parse(text: string): Record<string, string> {
  return { ...parseEnv(text) } as Record<string, string>
}

/** A link stays one, and its file is changed. */
async function findTarget(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return resolve(path)
  }
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return ''
  }
}
