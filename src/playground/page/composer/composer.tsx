import { useState } from 'preact/hooks'
import { attempt } from '../notices/attempt.ts'
import type { ChatState } from '../state/chat-state.ts'
import { act } from '../talk/request.ts'
import { words } from '../words/language.ts'

/** Where the person writes to a chat, or to one topic of it. */
export function Composer({ chat, threadId }: { chat: ChatState; threadId: number }) {
  const [text, setText] = useState('')
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault()
        void attempt(async () => {
          const thread = threadId === 0 ? {} : { thread_id: threadId }
          await act('/chats/:id/messages', { text, ...thread }, chat.id)
          setText('')
        })
      }}
    >
      <input
        aria-label={words.value.compose.field}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button type="submit">{words.value.compose.send}</button>
    </form>
  )
}
