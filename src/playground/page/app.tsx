import { useEffect } from 'preact/hooks'
import { ChatList } from './chats/chat-list.tsx'
import { Panel } from './panel/panel.tsx'
import { route } from './route.ts'
import { ChatView } from './shell/chat-view.tsx'
import { chatShown } from './state/chats.ts'
import { connection } from './talk/live.ts'
import { language, words } from './words/language.ts'

/** The whole page: chats at the left, one of them in the middle, on demand the panel at the right. */
export function App() {
  useEffect(() => {
    document.documentElement.lang = language.value
  }, [language.value])
  const { shell } = words.value
  const chat = chatShown.value
  const { hasPanel } = route.value
  return (
    <div class="app" data-shows={hasPanel ? 'panel' : chat === undefined ? 'list' : 'chat'}>
      <nav class="sidebar" aria-label={shell.chats}>
        {connection.value === 'lost' ? <p role="status">{shell.lost}</p> : null}
        <ChatList />
      </nav>
      <main class="main">
        {chat === undefined ? <p class="nothing">{shell.choose}</p> : <ChatView chat={chat} />}
      </main>
      {hasPanel ? <Panel /> : null}
    </div>
  )
}
