import { lstatSync } from 'node:fs'
import { resolve } from 'node:path'
import process from 'node:process'
import { parseEnv } from 'node:util'
import { MendableError } from '../../platform/mendable.ts'
import { readText } from '../../platform/read-text.ts'
import type { Environment } from './read-variables.ts'

/** The environment of this process, with what `.env` in its first working directory adds to it. */
export interface ProcessEnvironment {
  /**
   * Reads it with `.env` as the file is now. A variable that the process was started with stays as it is.
   *
   * @throws {MendableError} If there is a file that cannot be read.
   */
  read(): Environment
  findKept(names: Iterable<string>): string[]
}

/** Remembers what this process was started with. Nothing is read yet. */
export function openEnvironment(): ProcessEnvironment {
  const given: Environment = { ...process.env }
  const path = resolve('.env')
  return { read, findKept }

  function read(): Environment {
    const env = { ...readEnvFile(path), ...given }
    // Libraries have variables of their own.
    Object.assign(process.env, env)
    return env
  }

  function findKept(names: Iterable<string>): string[] {
    const file = readEnvFile(path)
    return [...names].filter(
      (name) => given[name] !== undefined && file[name] !== undefined && file[name] !== given[name],
    )
  }
}

/** The file is optional; one that is there and cannot be read is not, nor a link that leads nowhere. */
function readEnvFile(path: string): Environment {
  return parseEnv(readOptional(path))
}

function readOptional(path: string): string {
  try {
    return readText(path)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT' && !isLink(path)) return ''
    throw new MendableError(`Cannot read the file "${path}" (${code})`, { cause })
  }
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
}
