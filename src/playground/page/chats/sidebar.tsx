import { AccountMenu } from '../people/account-menu.tsx'
import { bot } from '../state/people.ts'
import { words } from '../words/language.ts'
import { ChatList } from './chat-list.tsx'
import { Search } from './search.tsx'

/** How a person goes on with a key of theirs. */
const SETUP_COMMAND = 'npm run setup'

/** The left side: the person that one is, and the chats; below them, while demo models answer, how to have real ones. */
export function Sidebar() {
  const { chats, demo } = words.value.shell
  return (
    <nav class="sidebar" aria-label={chats}>
      <header class="sidebar-header">
        <AccountMenu />
        <Search />
      </header>
      <ChatList />
      {bot.value?.is_demo ? (
        <p class="sidebar-foot hint small">
          {demo} <code>{SETUP_COMMAND}</code>
        </p>
      ) : null}
    </nav>
  )
}
