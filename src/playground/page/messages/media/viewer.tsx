import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { IconButton } from '../../parts/icon-button.tsx'
import { Icon } from '../../parts/icons.tsx'
import { words } from '../../words/language.ts'
import type { Size } from './media-size.ts'

interface ViewedPhoto extends Size {
  src: string
}

const viewed = signal<ViewedPhoto | undefined>(undefined)

/** Shows a picture above everything else. */
export function openViewer(photo: ViewedPhoto): void {
  viewed.value = photo
}

/** The picture that was pressed, as large as the page; Escape or a press beside it closes it. */
export function Viewer() {
  const photo = viewed.value
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (photo !== undefined) dialog.current?.showModal()
  }, [photo])
  if (photo === undefined) return null
  const { close, message } = words.value
  const end = () => dialog.current?.close()
  return (
    <dialog
      ref={dialog}
      class="viewer"
      aria-label={message.photo}
      onClose={() => {
        viewed.value = undefined
      }}
      // A press anywhere is one beside the picture; Escape is the dialog's own.
      onClick={end}
      onKeyDown={(event) => event.stopPropagation()}
    >
      {/* Without a size of its own, as an SVG may be, it would show as nothing. */}
      <img
        src={photo.src}
        alt={message.photo}
        {...(photo.width > 0 && { width: photo.width, height: photo.height })}
      />
      <div class="viewer-tools">
        <a
          class="icon-button"
          href={photo.src}
          download=""
          aria-label={message.download}
          title={message.download}
          onClick={(event) => event.stopPropagation()}
        >
          <Icon name="download" />
        </a>
        <IconButton icon="close" label={close} onClick={end} />
      </div>
    </dialog>
  )
}
