import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../../platform/time/clock.ts'
import type { StorageUnavailableError } from '../storage/storage.ts'

const LOG_INTERVAL_MS = 60_000

interface StorageTroubleDeps {
  log: Pick<FastifyBaseLogger, 'error'>
  clock: Pick<Clock, 'now'>
  onRefused: (code: string) => void
}

/** Logs that the storage takes no results: one line a minute, with a count, however many wait. */
export function createStorageTrouble({ log, clock, onRefused }: StorageTroubleDeps) {
  let loggedAt = Number.NEGATIVE_INFINITY
  let refused = 0
  return { record }

  function record(error: StorageUnavailableError): void {
    onRefused(error.code)
    refused += 1
    if (clock.now() - loggedAt < LOG_INTERVAL_MS) return
    log.error({ err: error, refused }, 'finished results cannot be stored, and wait for room')
    loggedAt = clock.now()
    refused = 0
  }
}

export type StorageTrouble = ReturnType<typeof createStorageTrouble>
