import type { ComponentChildren } from 'preact'
import { useId, useRef } from 'preact/hooks'
import { words } from '../words/language.ts'
import { IconButton } from './icon-button.tsx'
import { useModal } from './use-modal.ts'

/** Something that is dealt with before the rest of the page. Escape and a press beside it close it. */
export function Dialog(props: {
  title: string
  class?: string
  onClose: () => void
  children: ComponentChildren
}) {
  const { onClose } = props
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useModal(dialog)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the key that closes it is Escape, which the browser brings as `cancel`.
    <dialog
      ref={dialog}
      class={`dialog ${props.class ?? ''}`}
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
          <h2 id={id} class="dialog-title">
            {props.title}
          </h2>
          <IconButton icon="close" label={words.value.close} onClick={onClose} />
        </header>
        {props.children}
      </div>
    </dialog>
  )
}
