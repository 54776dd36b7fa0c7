import { IconButton } from '../../parts/icon-button.tsx'
import { words } from '../../words/language.ts'
import { formatSize } from '../../words/sizes.ts'
import { type ChatThread, threadKey } from '../chat-thread.ts'
import { uploads } from './uploads.ts'

/** Files on their way into this chat thread, each with how far it is. */
export function UploadList({ thread }: { thread: ChatThread }) {
  const key = threadKey(thread)
  const going = uploads.value.filter((one) => one.thread === key)
  if (going.length === 0) return null
  const { uploads: title, cancelUpload } = words.value.compose
  return (
    <ul class="uploads" aria-label={title}>
      {going.map(({ id, name, size, sentBytes, cancel }) => (
        <li key={id} class="upload">
          <span class="upload-name cut">{name}</span>
          <progress class="upload-progress" max={size} value={sentBytes} aria-label={name} />
          <span class="hint small num">
            {formatSize(sentBytes)} / {formatSize(size)}
          </span>
          <IconButton icon="close" label={cancelUpload(name)} onClick={cancel} />
        </li>
      ))}
    </ul>
  )
}
