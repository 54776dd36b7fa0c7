/**
 * When an API key was last used.
 *
 * Invariant: a key's time is written at most once a minute, over all processes, and no request waits
 * for it. A revoked key's time stays as it is. It may be late by that
 * much, and by what a killed process did not get to write.
 */
import { toPublicId } from './api-keys.ts'
import type { Sql } from './sql.ts'

const WRITE_INTERVAL_MS = 60_000

const NOTE = `
  UPDATE service.api_key SET last_used_at = now()
  WHERE public_id = $1 AND revoked_at IS NULL
    AND (last_used_at IS NULL OR last_used_at <= now() - interval '${WRITE_INTERVAL_MS} milliseconds')`

export interface KeyUse {
  /** Notes that a key was used now. Returns at once and never throws. */
  note(apiKey: string): void
  /** Waits until everything noted so far is written, or is known not to be. */
  settle(): Promise<void>
}

/** Keeps track of the keys that this process is used with: one entry for each valid one. */
export function createKeyUse({
  sql,
  onError,
  nowMs = () => performance.now(),
}: {
  sql: Sql
  onError: (error: Error) => void
  nowMs?: () => number
}): KeyUse {
  const writtenMs = new Map<string, number>()
  const writing = new Set<Promise<void>>()
  return { note, settle }

  function note(apiKey: string): void {
    const publicId = toPublicId(apiKey)
    if (publicId === undefined) return
    const lastMs = writtenMs.get(publicId)
    if (lastMs !== undefined && nowMs() - lastMs < WRITE_INTERVAL_MS) return
    writtenMs.set(publicId, nowMs())
    const written = write(publicId).finally(() => writing.delete(written))
    writing.add(written)
  }

  async function settle(): Promise<void> {
    await Promise.all(writing)
  }

  async function write(publicId: string): Promise<void> {
    try {
      await sql.query({ name: 'api-key-note-use', text: NOTE, values: [publicId] })
    } catch (error) {
      onError(error as Error)
    }
  }
}
