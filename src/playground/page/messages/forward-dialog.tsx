import { attempt } from '../dialogs/attempt.ts'
import { Avatar } from '../parts/avatar.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { act } from '../request.ts'
import { show } from '../route.ts'
import type { ChatState } from '../state/chat-state.ts'
import { chatsInOrder } from '../state/chats.ts'
import { faceOf, titleOf } from '../state/names.ts'
import { hasTopics } from '../state/topics.ts'
import { words } from '../words/language.ts'
import { type Forwarding, forwarding } from './forwarding.ts'

/** Asks where messages go, and opens that chat or topic with them in it. */
export function ForwardDialog() {
  const current = forwarding.value
  if (current === undefined) return null
  return (
    <Dialog title={words.value.shell.forwardTo} onClose={close}>
      <ul class="target-list">
        {chatsInOrder.value.flatMap(targetsOf).map(({ chat, threadId, name }) => (
          <li key={`${chat.id}/${threadId ?? ''}`}>
            <button
              type="button"
              class="option"
              onClick={() => void forward(current, chat, threadId)}
            >
              <Avatar
                id={faceOf(chat.info.value.chat)}
                name={titleOf(chat.info.value.chat)}
                size="small"
              />
              <span class="cut">{name}</span>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

interface Target {
  chat: ChatState
  threadId: number | undefined
  name: string
}

/** A chat, or each topic of a forum that is open. */
function targetsOf(chat: ChatState): Target[] {
  const info = chat.info.value
  const title = titleOf(info.chat)
  if (!hasTopics(info)) return [{ chat, threadId: undefined, name: title }]
  const open = info.topics.filter(({ is_closed: isClosed }) => !isClosed)
  return [
    { chat, threadId: 0, name: `${title} · ${words.value.shell.general}` },
    ...open.map(({ thread_id: threadId, name }) => {
      return { chat, threadId, name: `${title} · ${name}` }
    }),
  ]
}

async function forward(
  { from, messageIds }: Forwarding,
  to: ChatState,
  threadId: number | undefined,
): Promise<void> {
  close()
  await attempt(async () => {
    const body = {
      from_chat_id: from.id,
      message_ids: [...messageIds],
      ...(threadId !== undefined && threadId !== 0 && { thread_id: threadId }),
    }
    await act('/chats/:id/forwards', body, to.id)
    show({ chatId: to.id, threadId })
  })
}

function close(): void {
  forwarding.value = undefined
}
