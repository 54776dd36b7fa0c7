import type { Texts } from '../../../locales/texts.ts'
import type { ConversationList } from '../../../talk/conversation/conversation-list.ts'
import { titleOf } from '../../../talk/conversation/conversation-title.ts'
import type { Conversations } from '../../../talk/conversation/conversations.ts'
import type { Instructions } from '../../../talk/conversation/instructions.ts'
import type { Replies } from '../../../talk/reply/replies.ts'
import { stopFromBelowKeyboard } from '../../../talk/reply/turn-keyboards.ts'
import type { CommandDefinition } from '../../command.ts'
import { backButton } from './chats-views.ts'

interface NewDeps {
  conversations: Pick<Conversations, 'begin'>
  conversationList: Pick<ConversationList, 'find'>
  instructions: Pick<Instructions, 'read'>
  findRunning: Replies['findRunning']
  texts: Texts
}

/**
 * Begins a new conversation with the instruction of the one before, and shows the way back. That one stays as
 * it is: an answer that is being written goes on there, unless it is stopped.
 */
export const newCommand: CommandDefinition<NewDeps> = {
  name: 'new',
  audience: 'everybody',
  listed: 'everywhere',
  create: ({ conversations, conversationList, instructions, findRunning, texts }) => ({
    async handle({ chatId, threadId, hasTopics, user, t, answer }) {
      const thread = { chatId, threadId }
      const { leftId } = await conversations.begin(thread)
      const left = leftId === undefined ? undefined : await conversationList.find(thread, leftId)
      const isInstructed = (await instructions.read(thread)) !== undefined
      const running = await findRunning(thread)
      const paragraphs = [
        left === undefined
          ? t('new-conversation')
          : t('new-conversation-kept', { title: titleOf(left) }),
        ...(isInstructed ? [t('new-conversation-instructed')] : []),
        ...(running === undefined ? [] : [t('new-conversation-running')]),
        ...(hasTopics ? [t('chats-topics')] : []),
      ]
      const { languageCode } = user
      const stop = running && stopFromBelowKeyboard({ id: running.id, languageCode }, texts)
      const buttons = [...(stop?.inline_keyboard ?? []), ...(left ? [[backButton(left, t)]] : [])]
      const keyboard = buttons.length > 0 ? { inline_keyboard: buttons } : undefined
      await answer(paragraphs.join('\n\n'), { keyboard })
    },
  }),
}
