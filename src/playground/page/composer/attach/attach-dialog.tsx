import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { IconButton } from '../../parts/icon-button.tsx'
import { Icon } from '../../parts/icons.tsx'
import { useModal } from '../../parts/use-modal.ts'
import { words } from '../../words/language.ts'
import { formatSize } from '../../words/sizes.ts'
import { type Attachment, CAPTION_CHARS_MAX, kindOf, type SendAs } from './attachment.ts'
import type { Attaching } from './use-attaching.ts'

/** Shows files before they are sent: previews, the way they go, and their caption. */
export function AttachDialog(props: {
  attaching: Attaching
  /** The text of the field, which becomes the caption. */
  firstCaption: string
  onSend: (sendAs: SendAs, caption: string) => void
  onAddMore: () => void
}) {
  const { attaching, firstCaption, onSend, onAddMore } = props
  const { compose, cancel } = words.value
  const dialog = useRef<HTMLDialogElement>(null)
  const sendAs = useSignal<SendAs>('media')
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
        attaching.add([...(event.dataTransfer?.files ?? [])])
      }}
    >
      <form
        class="attach-form"
        onSubmit={(event) => {
          event.preventDefault()
          if (over <= 0) onSend(sendAs.value, caption.value.trim())
        }}
      >
        <div class="attach-header">
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
        <HowItGoes files={files} chosen={sendAs.value} onChoose={(as) => (sendAs.value = as)} />
        <label class="attach-caption">
          <span class="unseen">{compose.caption}</span>
          <textarea
            class="writing"
            // A dialog begins where one writes.
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
        <span class="attach-icon">
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

/** Only what makes a difference for these files is offered. */
function HowItGoes(props: {
  files: readonly Attachment[]
  chosen: SendAs
  onChoose: (as: SendAs) => void
}) {
  const { compose } = words.value
  const { files, chosen, onChoose } = props
  const isMedia = files.some(({ file }) => kindOf(file, 'media') !== 'document')
  const isSound = files.some(({ file }) => kindOf(file, 'voice') === 'voice')
  const ways: SendAs[] = [
    ...(isMedia || isSound ? ['media', 'file'] : []),
    ...(isSound ? ['voice'] : []),
  ] as SendAs[]
  if (ways.length === 0) return null
  return (
    <fieldset class="choices" aria-label={compose.sendAs}>
      {ways.map((way) => (
        <label key={way} class="choice">
          <input
            type="radio"
            name="send-as"
            checked={way === chosen}
            onChange={() => onChoose(way)}
          />
          {compose.ways[way]}
        </label>
      ))}
    </fieldset>
  )
}
