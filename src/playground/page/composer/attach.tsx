import { type Signal, useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useModal } from '../parts/dialog.tsx'
import { Icon, IconButton } from '../parts/icons.tsx'
import { toast } from '../parts/notices.tsx'
import { bot } from '../state/people.ts'
import { formatSize } from '../words/dates.ts'
import { words } from '../words/language.ts'

const CAPTION_CHARS_MAX = 1_024

/** A file chosen to be sent. */
export interface Attachment {
  id: number
  file: File
  /** Address of a preview; empty if the file is no picture. */
  previewUrl: string
}

/** Files that are being chosen. */
export interface Attaching {
  files: Signal<readonly Attachment[]>
  /** Adds files; files that cannot be sent are refused in words. */
  add: (files: readonly File[]) => void
  remove: (id: number) => void
  clear: () => void
}

let lastId = 0

/** Keeps the files that are being chosen, and their previews. */
export function useAttaching(): Attaching {
  const files = useSignal<readonly Attachment[]>([])
  useEffect(() => () => revoke(files.peek()), [])
  return { files, add, remove, clear: () => set([]) }

  function add(given: readonly File[]): void {
    const accepted = given.filter((file) => {
      const problem = problemOf(file)
      if (problem !== undefined) toast(problem, { isProblem: true })
      return problem === undefined
    })
    set([...files.value, ...accepted.map(toAttachment)])
  }

  function remove(id: number): void {
    set(files.value.filter((file) => file.id !== id))
  }

  function set(next: readonly Attachment[]): void {
    revoke(files.value.filter((file) => !next.includes(file)))
    files.value = next
  }
}

function toAttachment(file: File): Attachment {
  lastId += 1
  const isPicture = file.type.startsWith('image/') && file.type !== 'image/svg+xml'
  return { id: lastId, file, previewUrl: isPicture ? URL.createObjectURL(file) : '' }
}

/** The address of a preview keeps the file's bytes in memory. */
function revoke(files: readonly Attachment[]): void {
  for (const { previewUrl } of files) if (previewUrl !== '') URL.revokeObjectURL(previewUrl)
}

function problemOf({ name, size }: File): string | undefined {
  const { compose } = words.value
  const bytesMax = bot.value?.file_bytes_max ?? Number.POSITIVE_INFINITY
  if (size === 0) return compose.emptyFile(name)
  return size > bytesMax
    ? compose.largeFile(name, formatSize(size), formatSize(bytesMax))
    : undefined
}

/** Takes files that are dropped anywhere on the chat. @returns Whether files are being dragged over it. */
export function useDrop(
  part: RefObject<HTMLElement | null>,
  onFiles: (files: readonly File[]) => void,
): boolean {
  const isOver = useSignal(false)
  useEffect(() => {
    const chat = part.current?.closest<HTMLElement>('.chat')
    if (chat == null) return undefined
    const controller = new AbortController()
    const { signal } = controller
    const over = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes('Files') !== true) return
      // Otherwise the browser would open the file.
      event.preventDefault()
      isOver.value = true
    }
    const leave = ({ relatedTarget }: DragEvent) => {
      if (!chat.contains(relatedTarget as Node | null)) isOver.value = false
    }
    const drop = (event: DragEvent) => {
      event.preventDefault()
      isOver.value = false
      onFiles(filesOf(event.dataTransfer))
    }
    chat.addEventListener('dragenter', over, { signal })
    chat.addEventListener('dragover', over, { signal })
    chat.addEventListener('dragleave', leave, { signal })
    chat.addEventListener('drop', drop, { signal })
    return () => controller.abort()
  }, [])
  return isOver.value
}

/** Folders are left out. */
function filesOf(transfer: DataTransfer | null): File[] {
  return [...(transfer?.items ?? [])]
    .filter((item) => item.webkitGetAsEntry()?.isDirectory !== true)
    .map((item) => item.getAsFile())
    .filter((file) => file !== null)
}

/** Shows files and their caption before they are sent. */
export function AttachDialog(props: {
  attaching: Attaching
  /** The text of the field, which becomes the caption. */
  firstCaption: string
  onSend: (caption: string) => void
  onAddMore: () => void
}) {
  const { attaching, firstCaption, onSend, onAddMore } = props
  const { compose, cancel } = words.value
  const dialog = useRef<HTMLDialogElement>(null)
  const caption = useSignal(firstCaption)
  useModal(dialog)
  const files = attaching.files.value
  const over = [...caption.value].length - CAPTION_CHARS_MAX
  return (
    <dialog
      ref={dialog}
      class="dialog attach"
      aria-label={compose.attached(files.length)}
      onClose={attaching.clear}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        attaching.add(filesOf(event.dataTransfer))
      }}
    >
      <form
        class="attach-form"
        onSubmit={(event) => {
          event.preventDefault()
          if (over <= 0) onSend(caption.value.trim())
        }}
      >
        <div class="dialog-header">
          <h2>{compose.attached(files.length)}</h2>
          <IconButton icon="attach" label={compose.addMore} onClick={onAddMore} />
        </div>
        <ul class="attach-list">
          {files.map((attachment) => (
            <AttachedFile
              key={attachment.id}
              attachment={attachment}
              onRemove={() => attaching.remove(attachment.id)}
            />
          ))}
        </ul>
        <label class="attach-caption">
          <span class="unseen">{compose.caption}</span>
          <textarea
            class="writing"
            autoFocus
            rows={2}
            placeholder={compose.caption}
            value={caption.value}
            onInput={(event) => (caption.value = event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
              event.preventDefault()
              event.currentTarget.form?.requestSubmit()
            }}
          />
          <span class="bad small" role="status">
            {over > 0 ? compose.captionOver(over) : ''}
          </span>
        </label>
        <div class="dialog-buttons">
          <button type="button" class="button" onClick={attaching.clear}>
            {cancel}
          </button>
          <button type="submit" class="button button-main" disabled={over > 0}>
            {compose.send}
          </button>
        </div>
      </form>
    </dialog>
  )
}

function AttachedFile(props: { attachment: Attachment; onRemove: () => void }) {
  const { file, previewUrl } = props.attachment
  return (
    <li class="attach-file">
      {previewUrl === '' ? (
        <span class="attach-preview">
          <Icon name="file" />
        </span>
      ) : (
        <img class="attach-preview" src={previewUrl} alt="" />
      )}
      <span class="attach-name">
        <span class="cut">{file.name}</span>
        <span class="hint small num">{formatSize(file.size)}</span>
      </span>
      <IconButton
        icon="close"
        label={words.value.compose.remove(file.name)}
        onClick={props.onRemove}
      />
    </li>
  )
}
