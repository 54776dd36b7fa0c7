import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FileFolder } from '../world/files.ts'

const PRIVATE = 0o700
const PRIVATE_FILE = 0o600

/**
 * Opens the folder that holds the bytes of files, each under its unique id. Inside is one for files on their way,
 * which is empty after a start.
 *
 * @param isKnown Checks by its id whether a file belongs to the playground; others are left from a crash, and removed.
 */
export function openFileFolder(folder: string, isKnown: (uniqueId: string) => boolean): FileFolder {
  const incoming = join(folder, 'incoming')
  rmSync(incoming, { recursive: true, force: true })
  mkdirSync(incoming, { recursive: true, mode: PRIVATE })
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isFile() && !isKnown(entry.name)) rmSync(join(folder, entry.name))
  }
  return { incoming, pathOf, write, takeOver, remove }

  function pathOf(uniqueId: string): string {
    return join(folder, uniqueId)
  }

  function write(uniqueId: string, bytes: Buffer): string {
    writeFileSync(pathOf(uniqueId), bytes, { mode: PRIVATE_FILE })
    return pathOf(uniqueId)
  }

  function takeOver(uniqueId: string, path: string): string {
    renameSync(path, pathOf(uniqueId))
    return pathOf(uniqueId)
  }

  function remove(path: string): void {
    rmSync(path, { force: true })
  }
}
