import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Reads a disk with a tebibyte left. */
export const readRoomyDisk = async () => ({ bavail: 2 ** 20, bsize: 2 ** 20 })

export const DISK_BYTES = 64 * 1024

/** Mounts a disk of 64 KiB, or of another size; undefined if this user may mount none. */
export function mountSmallDisk(
  bytes = DISK_BYTES,
): { dir: string; unmount: () => void } | undefined {
  const dir = mkdtempSync(join(tmpdir(), 'kopeck-disk-'))
  const unmount = () => {
    execFileSync('umount', [dir])
    rmSync(dir, { recursive: true })
  }
  const options = ['-t', 'tmpfs', '-o', `size=${bytes}`]
  try {
    execFileSync('mount', [...options, 'tmpfs', dir], { stdio: 'ignore' })
    return { dir, unmount }
  } catch {
    rmSync(dir, { recursive: true })
    return undefined
  }
}
