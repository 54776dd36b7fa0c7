import type { ChatThread } from '../../../telegram/addressing/chat-thread.ts'
import type { CommandDefinition } from '../../command.ts'

/** `not_yours`: somebody else asked, and the one who wants it stopped is no admin. */
type StopOutcome = 'stopped' | 'nothing' | 'not_yours'

interface StopDeps {
  stopTurn(thread: ChatThread, actor: { userId: number; isAdmin: boolean }): Promise<StopOutcome>
}

const ANSWERS: Readonly<Record<StopOutcome, string>> = {
  stopped: 'stop-done',
  nothing: 'stop-nothing',
  not_yours: 'turn-not-yours',
}

/** Ends the answer that is being written. What there is of it stays. */
export const stopCommand: CommandDefinition<StopDeps> = {
  name: 'stop',
  audience: 'everybody',
  create: ({ stopTurn }) => ({
    async handle({ chatId, threadId, user, isAdmin, t, answer }) {
      const outcome = await stopTurn({ chatId, threadId }, { userId: user.id, isAdmin })
      await answer(t(ANSWERS[outcome]))
    },
  }),
}
