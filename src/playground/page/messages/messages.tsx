import type { ChatState } from '../state/chat-state.ts'
import { messagesOf } from '../state/topics.ts'
import { words } from '../words/language.ts'

/** What is said in a chat, or in one topic of it. */
export function Messages({ chat, threadId }: { chat: ChatState; threadId: number }) {
  const messages = messagesOf(chat.info.value, chat.messages.value, threadId)
  if (messages.length === 0) return <div class="messages">{words.value.message.none}</div>
  return (
    <ol class="messages">
      {messages.map(({ message }) => (
        <li key={message.message_id}>{message.text}</li>
      ))}
    </ol>
  )
}
