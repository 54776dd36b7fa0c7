import type { Update } from 'grammy/types'
import type { TroubleLog } from '../../../platform/fold-repeats.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { apiSignal, POLL_S, type TelegramApi } from '../api.ts'
import { keepTrying } from '../keep-trying.ts'
import { ALLOWED_UPDATES } from './update-facts.ts'

const BATCH_MAX = 100

export interface PollUpdatesDeps {
  api: Pick<TelegramApi, 'polls'>
  /** Stores a batch. Only then is it confirmed, by fetching the next one. */
  store: (updates: readonly Update[]) => Promise<void>
  log: Pick<TroubleLog, 'warn'>
  clock: Clock
  signal: AbortSignal
}

/**
 * Fetches updates until the signal is aborted.
 *
 * @throws {SettingRefusedError} If Telegram does not know the token; the signal's reason.
 */
export async function pollUpdates({ api, store, ...retryOptions }: PollUpdatesDeps): Promise<void> {
  for (let offset = 0; ; ) {
    const query = { offset, limit: BATCH_MAX, timeout: POLL_S, allowed_updates: ALLOWED_UPDATES }
    const fetchBatch = () => api.polls.getUpdates(query, apiSignal(retryOptions.signal))
    const updates = await keepTrying('fetch updates', fetchBatch, retryOptions)
    await keepTrying('store updates', () => store(updates), retryOptions)
    offset = (updates.at(-1)?.update_id ?? offset - 1) + 1
  }
}
