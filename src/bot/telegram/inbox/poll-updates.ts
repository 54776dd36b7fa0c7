import { createRunner, createSource, type UpdateSink } from '@grammyjs/runner'
import type { Update } from 'grammy/types'
import type { Logger } from 'pino'
import type { Clock } from '../../../time/clock.ts'
import { apiSignal, POLL_S, type TelegramApi } from '../api.ts'
import { keepTrying } from '../keep-trying.ts'
import { ALLOWED_UPDATES } from './allowed-updates.ts'

const BATCH_MAX = 100

export interface PollUpdatesDeps {
  api: Pick<TelegramApi, 'polls'>
  /** Stores a batch. Only then is it confirmed, by fetching the next one. */
  store: (updates: readonly Update[]) => Promise<void>
  log: Logger
  clock: Clock
  signal: AbortSignal
}

/**
 * Fetches updates until the signal is aborted.
 *
 * @throws {SettingRefusedError} If Telegram does not know the token.
 */
export async function pollUpdates({ api, store, ...retryOptions }: PollUpdatesDeps): Promise<void> {
  const { signal } = retryOptions
  let offset = 0
  const source = createSource<Update>({
    supply: () =>
      keepTrying(
        'fetch updates',
        () => {
          const query = {
            offset,
            limit: BATCH_MAX,
            timeout: POLL_S,
            allowed_updates: ALLOWED_UPDATES,
          }
          return api.polls.getUpdates(query, apiSignal(signal))
        },
        retryOptions,
      ),
  })
  const sink: UpdateSink<Update> = {
    async handle(updates) {
      await keepTrying('store updates', () => store(updates), retryOptions)
      offset = (updates.at(-1)?.update_id ?? offset - 1) + 1
      return Number.POSITIVE_INFINITY
    },
    size: () => 0,
    snapshot: () => [],
  }
  const runner = createRunner(source, sink)
  runner.start()
  const polling = runner.task()
  const stop = () => void runner.stop()
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  try {
    await polling
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
