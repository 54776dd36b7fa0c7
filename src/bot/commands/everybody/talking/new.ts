import type { Conversations } from '../../../conversation/conversations.ts'
import type { Instructions } from '../../../conversation/instructions.ts'
import type { Texts } from '../../../locales/texts.ts'
import type { Replies } from '../../../reply/replies.ts'
import { stopFromBelowKeyboard } from '../../../reply/turn-keyboards.ts'
import type { CommandDefinition } from '../../command.ts'

interface NewDeps {
  conversations: Pick<Conversations, 'begin'>
  instructions: Pick<Instructions, 'read'>
  findRunning: Replies['findRunning']
  texts: Texts
}

/**
 * Begins a new conversation with the instruction of the one before, which stays as it is: an answer that is
 * being written goes on there, unless it is stopped.
 */
export const newCommand: CommandDefinition<NewDeps> = {
  name: 'new',
  audience: 'everybody',
  create: ({ conversations, instructions, findRunning, texts }) => ({
    async handle({ chatId, threadId, user, t, answer }) {
      const thread = { chatId, threadId }
      await conversations.begin(thread)
      const isInstructed = (await instructions.read(thread)) !== undefined
      const begun = isInstructed ? t('new-conversation-instructed') : t('new-conversation')
      const running = await findRunning(thread)
      if (running === undefined) return answer(begun)
      const { languageCode } = user
      const keyboard = stopFromBelowKeyboard({ id: running.id, languageCode }, texts)
      await answer([begun, t('new-conversation-running')].join('\n\n'), { keyboard })
    },
  }),
}
