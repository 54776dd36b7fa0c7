import { Dialog } from '../parts/dialog.tsx'
import { Icon } from '../parts/icons.tsx'
import { words } from '../words/language.ts'
import { isFramed } from './launch-url.ts'
import { closeMiniApp, miniApp } from './mini-app.ts'
import { MiniAppFrame } from './mini-app-frame.tsx'

/** The Mini App that is open: in a frame, or at an address elsewhere only by a press that knows where it leads. */
export function MiniAppDialog() {
  const app = miniApp.value
  if (app === undefined) return null
  return isFramed(app.url) ? (
    <MiniAppFrame key={app.launchUrl} app={app} />
  ) : (
    <ElsewhereDialog host={URL.parse(app.url)?.host ?? app.url} url={app.launchUrl} />
  )
}

function ElsewhereDialog({ host, url }: { host: string; url: string }) {
  const { miniApp: text, cancel } = words.value
  return (
    <Dialog title={text.title} onClose={closeMiniApp}>
      <p>{text.elsewhere(host)}</p>
      <div class="dialog-buttons">
        <button type="button" class="button" onClick={closeMiniApp}>
          {cancel}
        </button>
        <a
          class="button button-main"
          href={url}
          target="_blank"
          rel="noopener noreferrer"
          onClick={closeMiniApp}
        >
          <Icon name="outside" />
          {text.openTab}
        </a>
      </div>
    </Dialog>
  )
}
