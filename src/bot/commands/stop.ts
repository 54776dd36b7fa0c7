import type { ChatThread } from '../addressing/chat-thread.ts'
import type { Actor, StopOutcome } from '../reply/running-turns.ts'
import type { CommandHandler } from './command.ts'

/** Ends the turn of a thread, if who wants it may. */
export type StopTurn = (thread: ChatThread, actor: Actor) => Promise<StopOutcome>

const SAID: Readonly<Record<StopOutcome, string>> = {
  stopped: 'stop-done',
  nothing: 'stop-nothing',
  not_yours: 'turn-not-yours',
}

/** Ends the answer that is being written. What there is of it stays. */
export function createStop({ stopTurn }: { stopTurn: StopTurn }): CommandHandler {
  return async ({ chatId, threadId, user, isAdmin, t, answer }) => {
    const outcome = await stopTurn({ chatId, threadId }, { userId: user.id, isAdmin })
    await answer(t(SAID[outcome]))
  }
}
