import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Program } from './measuring/program.ts'

/** Kopeck as it stands in a folder: this one, or another that it is compared with. */
export interface Checkout {
  name: 'Kopeck' | 'before'
  /** Its folder, with what `npm install` puts there. */
  root: string
}

export const THIS_CHECKOUT: Checkout = {
  name: 'Kopeck',
  root: join(import.meta.dirname, '../..'),
}

/** The checkout as `npm start -- ROLE` has it: with the flags and the cache of its own script. */
export async function npmStart({ root }: Checkout, ...roles: string[]): Promise<Program> {
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  return ['sh', '-c', `${scripts.start} "$@"`, 'npm start', ...roles]
}

/**
 * One of its source files, for what the bench does in its own process.
 *
 * @typeParam Module What the file exports in this checkout; another one's may differ, and then fails where it is used.
 */
export function importFrom<Module>({ root }: Checkout, path: string): Promise<Module> {
  return import(pathToFileURL(join(root, path)).href)
}
