import type { Conversations } from '../conversation/conversations.ts'
import type { CommandHandler } from './command.ts'

/** Begins a new conversation; the one before stays as it is. */
export function createNew({
  conversations,
}: {
  conversations: Pick<Conversations, 'begin'>
}): CommandHandler {
  return async ({ chatId, threadId, t, answer }) => {
    await conversations.begin({ chatId, threadId })
    await answer(t('new-conversation'))
  }
}
