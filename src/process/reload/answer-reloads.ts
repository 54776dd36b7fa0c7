import { hostname } from 'node:os'
import type { Logger } from 'pino'
import type { Database } from '../../platform/database/database.ts'
import type { Instance } from '../../platform/database/instance/instance.ts'
import type { Notifications } from '../../platform/database/instance/notifications.ts'
import { RELOAD_CHANNEL, RELOADED_CHANNEL, readRequest, writeAnswer } from './reload-messages.ts'
import type { ServiceSettings } from './service-settings.ts'

export interface AnswerReloadsDeps {
  database: Pick<Database, 'pool'>
  instance: Pick<Instance, 'id'>
  notifications: Notifications
  settings: Pick<ServiceSettings, 'reload'>
  log: Pick<Logger, 'warn'>
}

/**
 * Reads this process's config again whenever `npm run reload` asks for it, and reports the outcome.
 *
 * A request that came while the connection was away is not made up for: the file may be half written by now. The
 * command that asked reports that this process was silent.
 */
export function answerReloads({
  database,
  instance,
  notifications,
  settings,
  log,
}: AnswerReloadsDeps): void {
  notifications.listen(RELOAD_CHANNEL, {
    onNotification: (payload) => {
      const asked = readRequest(payload)
      if (asked !== undefined) void answer(asked.request)
    },
    onGap: () => {},
  })

  async function answer(request: string): Promise<void> {
    const reloaded = await settings.reload()
    const report = { request, instance: instance.id, host: hostname(), pid: process.pid, reloaded }
    try {
      await database.pool.query('SELECT pg_notify($1, $2)', [RELOADED_CHANNEL, writeAnswer(report)])
    } catch (error) {
      log.warn({ err: error }, 'cannot report the outcome of a reload')
    }
  }
}
