import { useId, useRef } from 'preact/hooks'
import { ConfirmDialog } from '../dialogs/confirm-dialog.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { IconButton } from '../parts/icon-button.tsx'
import { useModal } from '../parts/use-modal.ts'
import { nameOf } from '../state/names.ts'
import { bot } from '../state/people.ts'
import { words } from '../words/language.ts'
import { closeMiniApp, type MiniApp } from './mini-app.ts'
import type { BottomButton, Popup } from './protocol.ts'
import { useMiniApp } from './use-mini-app.ts'

/** The permissions of a Mini App in its frame; its origin is never the page's own. */
const SANDBOX =
  'allow-scripts allow-same-origin allow-forms allow-modals allow-popups allow-popups-to-escape-sandbox allow-downloads'

/** A Mini App in a frame, with the buttons that it asks for. */
export function MiniAppFrame({ app }: { app: MiniApp }) {
  const talk = useMiniApp(app)
  const { looks, host } = talk
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useModal(dialog)
  const { miniApp: text, back, close } = words.value
  const address = new URL(app.url).host
  // As in Telegram: a Mini App is its bot's.
  const title = bot.value === undefined ? address : nameOf(bot.value.me)
  return (
    <>
      <dialog
        ref={dialog}
        class="mini-app"
        aria-labelledby={id}
        onCancel={(event) => {
          event.preventDefault()
          talk.leave()
        }}
      >
        <header class="header">
          {looks.hasBack ? (
            <IconButton icon="back" label={back} onClick={() => host.send('back_button_pressed')} />
          ) : (
            <IconButton icon="close" label={close} onClick={talk.leave} />
          )}
          <div class="header-words">
            <h2 id={id} class="cut">
              {title}
            </h2>
            <p class="header-line cut">{`${text.title} · ${address}`}</p>
          </div>
          {looks.hasSettings ? (
            <IconButton
              icon="settings"
              label={text.settings}
              onClick={() => host.send('settings_button_pressed')}
            />
          ) : null}
          <IconButton icon="again" label={text.reload} onClick={talk.reload} />
          {looks.hasBack ? <IconButton icon="close" label={close} onClick={talk.leave} /> : null}
        </header>
        <iframe
          ref={talk.frame}
          class="mini-app-frame"
          title={title}
          src={app.launchUrl}
          sandbox={SANDBOX}
          allow="clipboard-write"
          referrerpolicy="no-referrer"
        />
        <div class="mini-app-buttons">
          <Bottom
            button={looks.buttons.secondary}
            onClick={() => host.send('secondary_button_pressed')}
          />
          <Bottom
            isMain
            button={looks.buttons.main}
            onClick={() => host.send('main_button_pressed')}
          />
        </div>
      </dialog>
      {looks.popup === undefined ? null : (
        <PopupDialog popup={looks.popup} onAnswer={talk.answerPopup} />
      )}
      {talk.isAsking ? (
        <ConfirmDialog
          title={text.leave}
          text={text.leaveAsk}
          done={text.leaveDo}
          onDone={closeMiniApp}
          onClose={talk.stay}
        />
      ) : null}
    </>
  )
}

function Bottom(props: { button: BottomButton; isMain?: boolean; onClick: () => void }) {
  const { button } = props
  if (!button.isVisible || button.text === '') return null
  return (
    <button
      type="button"
      class={`button ${props.isMain ? 'button-main' : ''}`}
      disabled={!button.isActive || button.isProgressVisible}
      onClick={props.onClick}
    >
      {button.isProgressVisible ? <span class="spinner" aria-hidden="true" /> : null}
      {button.text}
    </button>
  )
}

/** A question of a Mini App; undefined answers that it was closed without a button. */
function PopupDialog(props: { popup: Popup; onAnswer: (buttonId: string | undefined) => void }) {
  const { popup, onAnswer } = props
  const { miniApp: text, close, cancel } = words.value
  const names: Readonly<Record<string, string>> = { ok: text.ok, close, cancel }
  const buttons = popup.buttons.length > 0 ? popup.buttons : [{ id: '', type: 'close', text: '' }]
  return (
    <Dialog title={popup.title || text.title} onClose={() => onAnswer(undefined)}>
      <p class="plain-lines">{popup.message}</p>
      <div class="dialog-buttons">
        {buttons.map(({ id, type, text }) => (
          <button
            key={id}
            type="button"
            class={`button ${type === 'destructive' ? 'button-danger' : ''}`}
            onClick={() => onAnswer(id)}
          >
            {names[type] ?? text}
          </button>
        ))}
      </div>
    </Dialog>
  )
}
