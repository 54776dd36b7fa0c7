import { join } from 'node:path'
import { extensionsOf, type Media } from '../../platform/http/media-type.ts'
import type { GenerationResult } from '../providers/provider.ts'
import type { Bucket } from './bucket.ts'
import {
  isStoredName,
  type ResultRules,
  removeOldFiles,
  type Storage,
  StorageUnavailableError,
} from './storage.ts'

/**
 * Results in a bucket. On its way there each is whole on disk for a moment, so that its length and sum
 * are known, and a result that is refused never leaves.
 *
 * @param spool In `spoolDir`.
 * @param spoolDir Absolute path of a folder for nothing else.
 */
export function createBucketStorage({
  bucket,
  spool,
  spoolDir,
}: {
  bucket: Bucket
  spool: Storage
  spoolDir: string
}): Storage {
  return { store, find, remove, removePartial }

  async function store(
    result: GenerationResult,
    rules: ResultRules,
    signal: AbortSignal,
    stem?: string,
  ): Promise<string> {
    const name = await spool.store(result, rules, signal, stem)
    try {
      await bucket.put(name, join(spoolDir, name), signal)
      return name
    } catch (cause) {
      throw new StorageUnavailableError('bucket', { cause })
    } finally {
      await spool.remove([name])
    }
  }

  async function find(stem: string, media: Media): Promise<string | undefined> {
    try {
      for (const extension of extensionsOf(media)) {
        const name = `${stem}.${extension}`
        if (await bucket.has(name)) return name
      }
      return undefined
    } catch (cause) {
      throw new StorageUnavailableError('bucket', { cause })
    }
  }

  async function remove(names: readonly string[]): Promise<void> {
    for (const name of names) await bucket.remove(name)
  }

  async function removePartial(): Promise<void> {
    await spool.removePartial()
    await removeOldFiles(spoolDir, isStoredName)
  }
}
