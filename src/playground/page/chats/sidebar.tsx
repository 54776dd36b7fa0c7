import { AccountMenu } from '../people/account-menu.tsx'
import { words } from '../words/language.ts'
import { ChatList } from './chat-list.tsx'
import { Search } from './search.tsx'

/** The left side: the person that one is, and the chats. */
export function Sidebar() {
  return (
    <nav class="sidebar" aria-label={words.value.shell.chats}>
      <header class="sidebar-header">
        <AccountMenu />
        <Search />
      </header>
      <ChatList />
    </nav>
  )
}
