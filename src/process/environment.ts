/** All variables of a process and its `.env`, including foreign variables. */
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
/** Shorter names are one letter off many others. */
const GUESSED_CHARS_MIN = 6
/** Kubernetes and Docker's links give a container such variables for each service beside it: BOT_SERVICE_HOST. */
const OF_NEIGHBOURS = /_SERVICE_(?:HOST|PORT)(?:_|$)|_PORT_\d+_(?:TCP|UDP)/
const NEIGHBOUR_ADDRESS = /^(?:tcp|udp):\/\//

interface UnknownVariable {
  name: string
  meant: string | undefined
}

/** Finds variables that were meant for Kopeck: without a note, the demo would be sold instead. */
export function findUnknown(env: Environment, known: readonly string[]): UnknownVariable[] {
  return Object.entries(env).flatMap(([name, value = '']) => {
    if (known.includes(name) || value.trim() === '') return []
    if (OF_NEIGHBOURS.test(name) || NEIGHBOUR_ADDRESS.test(value.trim())) return []
    const meant = known.find((other) => isMeant(name, other))
    return meant !== undefined || OWN_PREFIX.test(name) ? [{ name, meant }] : []
  })
}

export function describeUnknown({ name, meant }: UnknownVariable): string {
  const rest = meant === undefined ? 'it is not used' : `is ${meant} meant?`
  return `${name} is no variable of Kopeck: ${rest}`
}

/** Checks for lower case, another prefix, and one letter that was misspelt, left out, added or swapped. */
function isMeant(name: string, known: string): boolean {
  const upper = name.toUpperCase()
  if (upper === known) return true
  if (known.length < GUESSED_CHARS_MIN) return false
  if (OWN_PREFIX.test(name) && name.endsWith(`_${known}`)) return true
  const shortened = shorten(known)
  return shorten(upper).some((one) => shortened.includes(one))
}

function shorten(name: string): string[] {
  return [name, ...Array.from(name, (_, at) => name.slice(0, at) + name.slice(at + 1))]
}
