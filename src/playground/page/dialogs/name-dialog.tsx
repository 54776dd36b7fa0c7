import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { Dialog } from '../parts/dialog.tsx'
import { words } from '../words/language.ts'
import { attempt } from './attempt.ts'

/** Asks for the name of something, new or known. */
export function NameDialog(props: {
  title: string
  label: string
  /** The button that ends it. */
  done: string
  /** The present name. */
  value?: string
  /** Characters, as Telegram counts them. */
  max: number
  onDone: (name: string) => Promise<void>
  onClose: () => void
  children?: ComponentChildren
}) {
  const [name, setName] = useState(props.value ?? '')
  const [isBusy, setBusy] = useState(false)
  const id = useId()
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
        {props.children}
        <div class="dialog-buttons">
          <button type="button" class="button" onClick={props.onClose}>
            {words.value.cancel}
          </button>
          <button type="submit" class="button button-main" disabled={name.trim() === '' || isBusy}>
            {props.done}
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
