import { AccountMenu } from '../people/account-menu.tsx'
import { bot } from '../state/people.ts'
import { words } from '../words/language.ts'
import { ChatList } from './chat-list.tsx'
import { Search } from './search.tsx'

/** The left side: the person that one is, and the chats; below them, while demo models answer, how to have real ones. */
export function Sidebar() {
  const { chats, demo } = words.value.shell
  const setupCommand = bot.value?.setup_command ?? null
  return (
    <nav class="sidebar" aria-label={chats}>
      <header class="sidebar-header">
        <AccountMenu />
        <Search />
      </header>
      <ChatList />
      {setupCommand === null ? null : (
        <p class="sidebar-foot hint small">
          {demo} <code>{setupCommand}</code>
        </p>
      )}
    </nav>
  )
}
