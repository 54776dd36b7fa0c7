import type { ComponentChildren, RefObject } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { words } from '../words/language.ts'
import { IconButton } from './icons.tsx'
import { attempt } from './notices.tsx'

/** Shows a modal dialog. Escape and a press beside it close it. */
export function Dialog(props: { title: string; onClose: () => void; children: ComponentChildren }) {
  const { onClose } = props
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useModal(dialog)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it, which the browser reports as `cancel`.
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={({ target }) => {
        if (target === dialog.current) onClose()
      }}
    >
      <div class="dialog-inside">
        <header class="dialog-header">
          <h2 id={id}>{props.title}</h2>
          <IconButton icon="close" label={words.value.close} onClick={onClose} />
        </header>
        {props.children}
      </div>
    </dialog>
  )
}

/** Opens a dialog while it is drawn, and returns the focus afterwards. */
function useModal(dialog: RefObject<HTMLDialogElement | null>): void {
  useEffect(() => {
    const { activeElement } = document
    dialog.current?.showModal()
    return () => {
      // Preact has removed the dialog by now, so the browser does not return the focus.
      if (activeElement instanceof HTMLElement) activeElement.focus({ preventScroll: true })
    }
  }, [])
}

/** Asks for a name. */
export function NameDialog(props: {
  title: string
  label: string
  /** Characters, as Telegram counts them. */
  max: number
  onDone: (name: string) => Promise<void>
  onClose: () => void
}) {
  const [name, setName] = useState('')
  const [isBusy, setBusy] = useState(false)
  const id = useId()
  const { cancel, create } = words.value
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void finish()
        }}
      >
        <label for={id} class="hint">
          {props.label}
        </label>
        <input
          id={id}
          class="text-field"
          value={name}
          maxLength={props.max}
          required
          autoComplete="off"
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
        <div class="dialog-buttons">
          <button type="button" class="button" onClick={props.onClose}>
            {cancel}
          </button>
          <button type="submit" class="button button-main" disabled={name.trim() === '' || isBusy}>
            {create}
          </button>
        </div>
      </form>
    </Dialog>
  )

  async function finish(): Promise<void> {
    setBusy(true)
    const isDone = await attempt(() => props.onDone(name.trim()))
    if (isDone) props.onClose()
    else setBusy(false)
  }
}
