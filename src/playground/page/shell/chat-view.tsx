import { Composer } from '../composer/composer.tsx'
import { Messages } from '../messages/messages.tsx'
import { IconButton } from '../parts/icon-button.tsx'
import { replaceRoute, route, show } from '../route.ts'
import type { ChatState } from '../state/chat-state.ts'
import { titleOf } from '../state/names.ts'
import { words } from '../words/language.ts'

/** A chat that is open: its header, what is said in it, and where one writes. */
export function ChatView({ chat }: { chat: ChatState }) {
  const threadId = route.value.threadId ?? 0
  return (
    <section class="chat" aria-label={titleOf(chat.info.value.chat)}>
      <header class="header">
        <IconButton
          class="narrow-only"
          icon="back"
          label={words.value.back}
          onClick={() => show({ chatId: undefined })}
        />
        <h1 class="header-title cut">{titleOf(chat.info.value.chat)}</h1>
        <IconButton
          icon="panel"
          label={words.value.shell.panel}
          isPressed={route.value.hasPanel}
          onClick={() => replaceRoute({ hasPanel: !route.value.hasPanel })}
        />
      </header>
      <Messages key={`${chat.id}/${threadId}`} chat={chat} threadId={threadId} />
      <Composer key={`${chat.id}/${threadId}/composer`} chat={chat} threadId={threadId} />
    </section>
  )
}
