import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Figures, FromTelegram, ToTelegram } from './telegram-messages.ts'

const PROGRAM = join(import.meta.dirname, 'telegram-process.ts')

/** A Telegram with real limits that shares no processor time with the bench's own process. */
export interface TelegramProcess {
  apiRoot: string
  token: string
  ask(userId: number, text: string): void
  count(): Promise<Figures>
  close(): Promise<void>
}

/** @param onShown Called with each text of the bot that users see; `at` is of this process's `performance.now()`. */
export async function startTelegram(
  onShown: (shown: { chatId: number; text: string; at: number }) => void,
): Promise<TelegramProcess> {
  const child = fork(PROGRAM, {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const ready = Promise.withResolvers<{ apiRoot: string; token: string }>()
  let counted = Promise.withResolvers<Figures>()
  child.on('message', (message: FromTelegram) => {
    if (message.type === 'ready') ready.resolve(message)
    else if (message.type === 'figures') counted.resolve(message)
    else onShown({ ...message, at: message.at - performance.timeOrigin })
  })
  child.once('exit', (code) => ready.reject(new Error(`The Telegram of the bench ended: ${code}`)))
  const { apiRoot, token } = await ready.promise
  const post = (message: ToTelegram) => void child.send(message)
  return {
    apiRoot,
    token,
    ask: (userId, text) => post({ type: 'ask', userId, text }),
    count: () => {
      counted = Promise.withResolvers()
      post({ type: 'count' })
      return counted.promise
    },
    close: async () => {
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
    },
  }
}
