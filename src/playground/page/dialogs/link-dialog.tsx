import { signal } from '@preact/signals'
import { Dialog } from '../parts/dialog.tsx'
import { Icon } from '../parts/icons.tsx'
import { words } from '../words/language.ts'

/** An address outside of the page that something other than a link wants to open. */
const asked = signal<URL | undefined>(undefined)

/** Asks the person whether to open an address. What is no web address is passed over. */
export function askToOpen(address: string): void {
  const url = URL.parse(address)
  if (url !== null && ['http:', 'https:'].includes(url.protocol)) asked.value = url
}

/** Names where an address leads, and opens it after a press in a tab of its own. */
export function LinkDialog() {
  const url = asked.value
  if (url === undefined) return null
  const { shell } = words.value
  return (
    <Dialog title={shell.openLink} onClose={close}>
      <p>{shell.linkLeadsTo(url.host)}</p>
      <p class="hint address">{url.href}</p>
      <div class="dialog-buttons">
        <button type="button" class="button" onClick={close}>
          {words.value.cancel}
        </button>
        <a
          class="button button-main"
          href={url.href}
          target="_blank"
          rel="noopener noreferrer"
          onClick={close}
        >
          <Icon name="outside" />
          {shell.open}
        </a>
      </div>
    </Dialog>
  )
}

function close(): void {
  asked.value = undefined
}
