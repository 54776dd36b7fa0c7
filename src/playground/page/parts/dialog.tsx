import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { words } from '../words/language.ts'
import { IconButton } from './icons.tsx'
import { attempt } from './notices.tsx'

/** Shows a modal dialog. Escape and a press beside it close it. */
export function Dialog(props: { title: string; onClose: () => void; children: ComponentChildren }) {
  const { onClose } = props
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const { activeElement } = document
    dialog.current?.showModal()
    return () => {
      // Preact has removed the dialog by now, so the browser does not return the focus.
      if (activeElement instanceof HTMLElement) activeElement.focus({ preventScroll: true })
    }
  }, [])
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
      <div class="dialog-inside stack">
        <header class="dialog-header row">
          <h2 id={id}>{props.title}</h2>
          <IconButton icon="close" label={words.value.close} onClick={onClose} />
        </header>
        {props.children}
      </div>
    </dialog>
  )
}

/** Shows the buttons at the end of a dialog: one that closes it, and one that does what it asks for. */
export function DialogButtons(props: {
  onCancel: () => void
  label: string
  look: 'button-main' | 'button-danger'
  isDisabled?: boolean
  onDone?: () => void
}) {
  return (
    <div class="dialog-buttons row">
      <button type="button" class="button" onClick={props.onCancel}>
        {words.value.cancel}
      </button>
      <button
        type={props.onDone === undefined ? 'submit' : 'button'}
        class={`button ${props.look}`}
        disabled={props.isDisabled}
        onClick={props.onDone}
      >
        {props.label}
      </button>
    </div>
  )
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
  const finish = async () => {
    setBusy(true)
    const isDone = await attempt(() => props.onDone(name.trim()))
    if (isDone) props.onClose()
    else setBusy(false)
  }
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void finish()
        }}
      >
        <label class="stack hint">
          {props.label}
          <input
            class="text-field"
            value={name}
            maxLength={props.max}
            required
            autoComplete="off"
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
        </label>
        <DialogButtons
          onCancel={props.onClose}
          label={words.value.create}
          look="button-main"
          isDisabled={name.trim() === '' || isBusy}
        />
      </form>
    </Dialog>
  )
}
