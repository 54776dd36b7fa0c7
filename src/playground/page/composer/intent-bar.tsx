import { IconButton } from '../parts/icon-button.tsx'
import { Icon } from '../parts/icons.tsx'
import { previewOf } from '../state/describe-service.ts'
import type { Intent } from '../state/intent.ts'
import { nameNow } from '../state/names.ts'
import { words } from '../words/language.ts'

const PREVIEW_CHARS = 200

/** Above the field: which message is answered or edited. */
export function IntentBar({ intent, onClose }: { intent: Intent; onClose: () => void }) {
  const { compose } = words.value
  const { message } = intent.message
  const isEdit = intent.type === 'edit'
  const name = message.from === undefined ? '' : nameNow(message.from)
  const quote = intent.type === 'reply' ? intent.quote : undefined
  return (
    <div class="intent">
      <Icon name={isEdit ? 'edit' : 'reply'} />
      <div class="intent-words">
        <p class="intent-title cut">{isEdit ? compose.editing : compose.replyTo(name)}</p>
        <p class="hint cut">{(quote ?? previewOf(message)).slice(0, PREVIEW_CHARS)}</p>
      </div>
      <IconButton
        icon="close"
        label={isEdit ? compose.endEdit : compose.endReply}
        onClick={onClose}
      />
    </div>
  )
}
