import './styles/base.css'
import './styles/shell.css'
import './styles/messages.css'
import './styles/content.css'
import './styles/composer.css'
import { effect } from '@preact/signals'
import { render } from 'preact'
import { Sidebar } from './chats/chat-list.tsx'
import { ChatView, headingOf, Nothing } from './chats/chat-view.tsx'
import { followAnswers } from './messages/buttons.tsx'
import { followFlow, Panel } from './panel.tsx'
import { Toasts } from './parts/notices.tsx'
import { chatShown, chatsInOrder, followChats, threadShown } from './state/chats.ts'
import { followLive, listen } from './state/live.ts'
import { followLanguage } from './state/people.ts'
import { followRoute, replaceRoute, route, show } from './state/route.ts'
import { followUnread, unreadInAll } from './state/unread.ts'
import { followLanguageChoice, language, words } from './words/language.ts'

function App() {
  const chat = chatShown.value
  const { hasPanel, chatId } = route.value
  const shown = chatId === undefined ? 'list' : 'chat'
  return (
    <div class="app" data-shows={hasPanel ? 'panel' : shown}>
      <Sidebar />
      <main class="main">
        {chat === undefined ? <Nothing /> : <ChatView key={chat.chat.id} chat={chat} />}
      </main>
      {hasPanel ? <Panel /> : null}
      <Toasts />
    </div>
  )
}

/** Opens the chat with a bot that was not started, if there is room beside the list. */
function followFirstChat(): void {
  let isFirst = true
  listen('state', () => {
    const first = chatsInOrder.value[0]
    if (isFirst && isWide() && route.value.chatId === undefined && first?.is_started === false) {
      replaceRoute({ chatId: first.chat.id })
    }
    isFirst = false
  })
}

/** Escape closes the panel, else leaves the topic or the chat. Parts that use the key stop it before. */
function followEscape(): void {
  addEventListener('keydown', (event) => {
    const isTaken = event.defaultPrevented || event.isComposing
    if (event.key !== 'Escape' || isTaken) return
    if (route.value.hasPanel) replaceRoute({ hasPanel: false })
    else if (threadShown.value !== undefined) show({ threadId: undefined })
    else if (chatShown.value !== undefined) show({ chatId: undefined })
  })
}

/** Checks whether there is room for a chat beside the list; styles/shell.css has the same width. */
function isWide(): boolean {
  return matchMedia('(min-width: 900px)').matches
}

/** Names the tab after the open chat, with the number of unread messages. */
function followTitle(): void {
  effect(() => {
    const unread = unreadInAll()
    const chat = chatShown.value
    const { title } = words.value.shell
    const heading = chat === undefined ? title : `${headingOf(chat)} · ${title}`
    document.title = unread === 0 ? heading : `(${unread}) ${heading}`
    document.documentElement.lang = language.value
  })
}

const host = document.getElementById('page')
if (host === null) throw new Error('Cannot show page: index.html has no element for it')

followRoute()
followLanguageChoice()
followChats()
followUnread()
followLanguage()
followAnswers()
followFirstChat()
followEscape()
followTitle()
followFlow()
followLive()
render(<App />, host)
