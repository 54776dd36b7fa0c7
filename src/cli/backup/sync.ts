import { open } from 'node:fs/promises'

/** Has what was written to a file, or renamed in a folder, outlive a power cut. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
