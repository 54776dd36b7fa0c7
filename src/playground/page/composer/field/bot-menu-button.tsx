import { openMiniApp } from '../../mini-app.ts'
import { Icon } from '../../parts/icons.tsx'
import type { ChatState } from '../../state/chat-state.ts'
import { words } from '../../words/language.ts'
import type { Suggestions } from './use-suggestions.ts'

/** Beside the field: the bot's Mini App where it has one there, else the list of its commands. */
export function BotMenuButton(props: { chat: ChatState; suggestions: Suggestions }) {
  const { chat, suggestions } = props
  const { commands, menu_button: menu, chat: shown } = chat.info.value
  if (menu.type === 'web_app' && shown.type === 'private') {
    const {
      text: title,
      web_app: { url },
    } = menu
    return (
      <button type="button" class="app-button" onClick={() => void openMiniApp(chat.id, url)}>
        {title}
      </button>
    )
  }
  if (commands.length === 0) return null
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={words.value.compose.commands}
      title={words.value.compose.commands}
      aria-expanded={suggestions.showsCommands}
      onClick={suggestions.toggleCommands}
    >
      <Icon name="commands" />
    </button>
  )
}
