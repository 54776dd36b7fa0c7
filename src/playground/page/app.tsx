import { useEffect } from 'preact/hooks'
import { Sidebar } from './chats/sidebar.tsx'
import { AlertDialog } from './dialogs/alert-dialog.tsx'
import { LinkDialog } from './dialogs/link-dialog.tsx'
import { Toasts } from './dialogs/toasts.tsx'
import { ForwardDialog } from './messages/forward-dialog.tsx'
import { Panel } from './panel.tsx'
import { route } from './route.ts'
import { ChatView } from './shell/chat-view.tsx'
import { ConnectionBanner } from './shell/connection-banner.tsx'
import { Nothing } from './shell/nothing.tsx'
import { chatShown } from './state/chats.ts'
import { language } from './words/language.ts'

/** The whole page: chats at the left, one of them in the middle, on demand the panel at the right. */
export function App() {
  useEffect(() => {
    document.documentElement.lang = language.value
  }, [language.value])
  const chat = chatShown.value
  const { hasPanel, chatId } = route.value
  const shown = chatId === undefined ? 'list' : 'chat'
  return (
    <div class="app" data-shows={hasPanel ? 'panel' : shown}>
      <Sidebar />
      <main class="main">
        {chat === undefined ? <Nothing /> : <ChatView key={chat.id} chat={chat} />}
      </main>
      {hasPanel ? <Panel /> : null}
      <ConnectionBanner />
      <ForwardDialog />
      <LinkDialog />
      <AlertDialog />
      <Toasts />
    </div>
  )
}
