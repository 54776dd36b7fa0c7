/** All variables of a process and its `.env`, including foreign variables. */
import { lstatSync } from 'node:fs'
import { resolve } from 'node:path'
import process from 'node:process'
import { parseEnv } from 'node:util'
import { MendableError } from '../../platform/mendable.ts'
import { readText } from '../../platform/read-text.ts'
import type { Environment } from './variables.ts'

/** The environment of this process, with what `.env` in its first working directory adds to it. */
export interface ProcessEnvironment {
  /**
   * Reads it with `.env` as the file is now. A variable that the process was started with stays as it is.
   *
   * @throws {MendableError} If there is a file that cannot be read.
   */
  read(): Environment
  /** Names the variables whose value in `.env` differs from the value at the start. */
  findKept(names: Iterable<string>): string[]
}

/** Remembers what this process was started with. Nothing is read yet. */
export function openEnvironment(): ProcessEnvironment {
  const given: Environment = { ...process.env }
  const path = resolve('.env')
  return { read, findKept }

  function read(): Environment {
    const env = { ...parseEnv(readOptional(path)), ...given }
    // Libraries have variables of their own.
    Object.assign(process.env, env)
    return env
  }

  function findKept(names: Iterable<string>): string[] {
    const file = parseEnv(readOptional(path))
    return [...names].filter(
      (name) => given[name] !== undefined && file[name] !== undefined && file[name] !== given[name],
    )
  }
}

/** The file is optional; one that is there and cannot be read is not, nor a link that leads nowhere. */
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

/** Nothing else on a machine is likely to have variables that begin so. */
const OWN_PREFIX = /^(?:BOT|KOPECK|OPENAI|PLAYGROUND|SERVICE|TELEGRAM|UPSTREAM)_/
/** Shorter names are one letter off many others. */
const GUESSED_CHARS_MIN = 6
/** Kubernetes and Docker's links give a container such variables for each service beside it: BOT_SERVICE_HOST. */
const OF_NEIGHBOURS = /_SERVICE_(?:HOST|PORT)(?:_|$)|_PORT_\d+_(?:TCP|UDP)/
const NEIGHBOUR_ADDRESS = /^(?:tcp|udp):\/\//

/** A variable that was meant for Kopeck and is none of its. */
interface UnknownVariable {
  name: string
  meant: string | undefined
}

/**
 * Finds variables that were meant for Kopeck: without a word, what is sold would be the demo, and everything else as if
 * nothing had been set.
 *
 * @param known The names of Kopeck's variables.
 */
export function findUnknown(env: Environment, known: ReadonlySet<string>): UnknownVariable[] {
  return Object.keys(env).flatMap((name) => {
    const value = env[name]?.trim() ?? ''
    if (known.has(name) || value === '') return []
    if (OF_NEIGHBOURS.test(name) || NEIGHBOUR_ADDRESS.test(value)) return []
    const meant = [...known].find((other) => isMeant(name, other))
    return meant !== undefined || OWN_PREFIX.test(name) ? [{ name, meant }] : []
  })
}

/** Says which variable is not used. */
export function describeUnknown({ name, meant }: UnknownVariable): string {
  return meant === undefined
    ? `${name} is no variable of Kopeck: it is not used`
    : `${name} is no variable of Kopeck: is ${meant} meant?`
}

function isMeant(name: string, known: string): boolean {
  if (name.toUpperCase() === known) return true
  if (known.length < GUESSED_CHARS_MIN) return false
  const isPrefixed = OWN_PREFIX.test(name) && name.endsWith(`_${known}`)
  return isPrefixed || isOneOff(name.toUpperCase(), known)
}

/** Checks whether two texts differ by one letter: left out, too many, another one, or in the place of its neighbour. */
function isOneOff(one: string, other: string): boolean {
  const begin = [...one].findIndex((letter, index) => letter !== other[index])
  if (begin < 0) return other.length === one.length + 1
  const [left, right] = [one.slice(begin), other.slice(begin)]
  const swapped = `${right[1]}${right[0]}${right.slice(2)}`
  return (
    left.slice(1) === right ||
    left === right.slice(1) ||
    left.slice(1) === right.slice(1) ||
    left === swapped
  )
}
