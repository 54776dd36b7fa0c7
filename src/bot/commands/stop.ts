import type { CommandHandler } from './command.ts'

/** Ends the answer that is being written. What there is of it stays. */
export function createStop({
  stopTurn,
}: {
  stopTurn: (chatId: number, threadId: number) => boolean
}): CommandHandler {
  return async ({ chatId, threadId, t, answer }) => {
    const isStopped = stopTurn(chatId, threadId)
    await answer(isStopped ? t('stop-done') : t('stop-nothing'))
  }
}
