import { join } from 'node:path'
import type { GenerationResult } from '../providers/provider.ts'
import type { Bucket } from './bucket.ts'
import { createStorage, isStoredName, removeOldFiles, type Storage } from './storage.ts'

/**
 * Results in a bucket. On its way there each is whole on disk for a moment, so that its length and sum
 * are known, and a result that is too large never leaves.
 *
 * @param spoolDir Absolute path of a folder for nothing else.
 */
export function createBucketStorage({
  bucket,
  spoolDir,
  spool = createStorage({ mediaDir: spoolDir }),
}: {
  bucket: Bucket
  spoolDir: string
  spool?: Storage
}): Storage {
  return { store, remove, removePartial, close }

  async function store(
    result: GenerationResult,
    extension: string,
    signal: AbortSignal,
  ): Promise<string> {
    const name = await spool.store(result, extension, signal)
    try {
      await bucket.put(name, join(spoolDir, name), signal)
      return name
    } finally {
      await spool.remove([name])
    }
  }

  async function remove(names: readonly string[]): Promise<void> {
    for (const name of names) await bucket.remove(name)
  }

  async function removePartial(now: Date): Promise<void> {
    await spool.removePartial(now)
    await removeOldFiles(spoolDir, { isPartial: isStoredName, now })
  }

  async function close(): Promise<void> {
    await spool.close()
    await bucket.close()
  }
}
