import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'

/** The last of a disk is left to PostgreSQL, which does not go on without room. */
const LEFT_BYTES = 2 ** 30

/** The room that a disk has for results. */
export interface DiskRoom {
  readBytes(): Promise<number | undefined>
  /** Checks whether the disk is too full for results. Where the system does not say, writing shows it. */
  isShort(): Promise<boolean>
}

/** @param dir On the disk; it may not be there yet, but its parent is. */
export function createDiskRoom({
  dir,
  read = statfs,
}: {
  dir: string
  read?: (dir: string) => Promise<{ bavail: number; bsize: number }>
}): DiskRoom {
  return { readBytes, isShort }

  async function readBytes(): Promise<number | undefined> {
    const { bavail, bsize } =
      (await read(dir).catch(() => read(dirname(dir)).catch(() => undefined))) ?? {}
    return bavail === undefined || bsize === undefined ? undefined : bavail * bsize
  }

  async function isShort(): Promise<boolean> {
    const bytes = await readBytes()
    return bytes !== undefined && bytes < LEFT_BYTES
  }
}
