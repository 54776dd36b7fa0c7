import { IconButton } from '../parts/icon-button.tsx'
import { replaceRoute, route, show } from '../route.ts'
import { chats } from '../state/chats.ts'
import { words } from '../words/language.ts'

/** Stands instead of a chat, while none is open. */
export function Nothing() {
  const { shell, back } = words.value
  const isGone = route.value.chatId !== undefined && chats.value !== undefined
  return (
    <section class="chat" aria-label={shell.title}>
      <header class="header header-bare">
        {route.value.chatId === undefined ? null : (
          <IconButton
            class="narrow-only"
            icon="back"
            label={back}
            onClick={() => show({ chatId: undefined })}
          />
        )}
        <h1 class="unseen">{shell.title}</h1>
        <IconButton
          class="at-end"
          icon="panel"
          label={shell.panel}
          isPressed={route.value.hasPanel}
          onClick={() => replaceRoute({ hasPanel: !route.value.hasPanel })}
        />
      </header>
      <p class="nothing">
        {chats.value === undefined ? shell.starting : isGone ? shell.gone : shell.choose}
      </p>
    </section>
  )
}
