import { lstatSync } from 'node:fs'
import { resolve } from 'node:path'
import process from 'node:process'
import { parseEnv } from 'node:util'
import { MendableError } from '../platform/mendable.ts'
import { readText } from '../platform/read-text.ts'
import type { Environment } from './variables.ts'

export type ProcessEnvironment = ReturnType<typeof openEnvironment>

/** Remembers the variables of this process, and where its `.env` is. Nothing is read yet. */
export function openEnvironment() {
  const given: Environment = { ...process.env }
  const path = resolve('.env')
  return { read }

  /** Reads `.env` as it is now. A variable that the process was started with stays as it is. */
  function read(): Environment {
    const env = { ...parseEnv(readOptional(path)), ...given }
    // Libraries have variables of their own.
    Object.assign(process.env, env)
    return env
  }
}

/** Returns '' without a file. A link that leads nowhere is an error. */
function readOptional(path: string): string {
  try {
    return readText(path)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
    if (code === 'ENOENT' && !isLink) return ''
    throw new MendableError(`Cannot read the file "${path}" (${code})`, { cause })
  }
}

/** Variables of other programs are unlikely to begin like this. */
const OWN_PREFIX = /^(?:BOT|KOPECK|OPENAI|PLAYGROUND|SERVICE|TELEGRAM|UPSTREAM)_/

/** Names variables that were meant for Kopeck and are misspelt: without a note, the demo would be sold instead. */
export function findUnknown(env: Environment, known: ReadonlySet<string>): string[] {
  return Object.keys(env)
    .filter((name) => OWN_PREFIX.test(name) && !known.has(name))
    .map((name) => `${name} is no variable of Kopeck`)
}
