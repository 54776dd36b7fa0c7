import type { Environment } from './read-variables.ts'

/** Nothing else on a machine is likely to have variables that begin so. */
const OWN_PREFIX = /^(?:BOT|KOPECK|OPENAI|PLAYGROUND|SERVICE|TELEGRAM|UPSTREAM)_/
/** Shorter names are one letter off many others. */
const GUESSED_CHARS_MIN = 6
/** What Kubernetes and Docker's links give a container for each service beside it, such as BOT_SERVICE_HOST. */
const OF_NEIGHBOURS = /_SERVICE_(?:HOST|PORT)(?:_|$)|_PORT_\d+_(?:TCP|UDP)/
const NEIGHBOUR_ADDRESS = /^(?:tcp|udp):\/\//

/** A variable that was meant for Kopeck and is none of its. */
export interface UnknownVariable {
  name: string
  meant: string | undefined
}

/**
 * Finds variables that were meant for Kopeck: without a word, what is sold would be the demo, and everything else as if
 * nothing had been set.
 *
 * @param known The names of those that count.
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
  return (
    isOneOff(name.toUpperCase(), known) || (OWN_PREFIX.test(name) && name.endsWith(`_${known}`))
  )
}

/** Checks whether two texts differ by one letter: left out, too many, another one, or in the place of its neighbour. */
function isOneOff(one: string, other: string): boolean {
  const begin = [...one].findIndex((letter, index) => letter !== other[index])
  if (begin < 0) return other.length === one.length + 1
  const [left, right] = [one.slice(begin), other.slice(begin)]
  return (
    left.slice(1) === right ||
    left === right.slice(1) ||
    left.slice(1) === right.slice(1) ||
    (left[0] === right[1] && left[1] === right[0] && left.slice(2) === right.slice(2))
  )
}
