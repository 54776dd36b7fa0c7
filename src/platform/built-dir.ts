import { join } from 'node:path'

/** Finds the folder into which an installation builds a page, or copies the files of a library (`src/build`). */
export function builtDir(name: string): string {
  return join(import.meta.dirname, '../../build', name)
}
