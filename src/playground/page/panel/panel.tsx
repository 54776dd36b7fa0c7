import { IconButton } from '../parts/icon-button.tsx'
import { replaceRoute } from '../route.ts'
import { words } from '../words/language.ts'

/** What happens behind the chat: calls to the Bot API, the service, lints, faults. */
export function Panel() {
  return (
    <aside class="panel" aria-label={words.value.shell.panel}>
      <header class="header">
        <h2 class="header-title">{words.value.panel.title}</h2>
        <IconButton
          icon="close"
          label={words.value.close}
          onClick={() => replaceRoute({ hasPanel: false })}
        />
      </header>
    </aside>
  )
}
