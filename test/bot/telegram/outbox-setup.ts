import { onTestFinished } from 'vitest'
import { createTelegramApi } from '../../../src/bot/telegram/api.ts'
import { Pacer } from '../../../src/bot/telegram/pacer.ts'
import { createOutbox } from '../../../src/bot/telegram/send.ts'
import { createPlayground } from '../../../src/playground/playground.ts'
import { createManualClock, type ManualClock } from '../../platform/time/manual-clock.ts'

export const ANNA = 101
export const BORIS = 102
export const GROUP = -202

/** An outbox on a clock that only the test moves, and a Bot API server without limits. */
export async function createOutboxSetup() {
  const clock = createManualClock()
  const playground = createPlayground({ flood: 'off' })
  onTestFinished(() => playground.close())
  playground.addUser({ id: ANNA, firstName: 'Anna' })
  playground.addUser({ id: BORIS, firstName: 'Boris' })
  playground.addGroup({ id: GROUP, title: 'Group', members: [ANNA] })
  const { apiRoot } = await playground.listen()
  const pacer = new Pacer({ clock })
  const api = createTelegramApi({ token: playground.token, apiRoot })
  const outbox = createOutbox({ api, clock, pacer })
  return { clock, playground, api, outbox, callsOf, shown }

  function callsOf(method: string) {
    return playground.calls.filter((call) => call.method === method)
  }

  function shown(chatId: number) {
    return playground.transcript(chatId).map(({ text }) => text)
  }
}

/** Lets time pass until something has ended. */
export function passUntil<T>(clock: ManualClock, ended: Promise<T>): Promise<T> {
  const passing = setInterval(() => clock.advance(100), 1)
  return ended.finally(() => clearInterval(passing))
}
