import type { Conversations } from '../conversation/conversations.ts'
import type { Instructions } from '../conversation/instructions.ts'
import type { CommandHandler } from './command.ts'

export interface NewDeps {
  conversations: Pick<Conversations, 'begin'>
  instructions: Pick<Instructions, 'read'>
}

/** Begins a new conversation with the instruction of the one before, which stays as it is. */
export function createNew({ conversations, instructions }: NewDeps): CommandHandler {
  return async ({ chatId, threadId, t, answer }) => {
    const place = { chatId, threadId }
    await conversations.begin(place)
    const isInstructed = (await instructions.read(place)) !== undefined
    await answer(isInstructed ? t('new-conversation-instructed') : t('new-conversation'))
  }
}
