import type { Conversations } from '../../../conversation/conversations.ts'
import type { Instructions } from '../../../conversation/instructions.ts'
import type { CommandDefinition } from '../../command.ts'

interface NewDeps {
  conversations: Pick<Conversations, 'begin'>
  instructions: Pick<Instructions, 'read'>
}

/** Begins a new conversation with the instruction of the one before, which stays as it is. */
export const newCommand: CommandDefinition<NewDeps> = {
  name: 'new',
  audience: 'everybody',
  create: ({ conversations, instructions }) => ({
    async handle({ chatId, threadId, t, answer }) {
      const thread = { chatId, threadId }
      await conversations.begin(thread)
      const isInstructed = (await instructions.read(thread)) !== undefined
      await answer(isInstructed ? t('new-conversation-instructed') : t('new-conversation'))
    },
  }),
}
