import { signal } from '@preact/signals'
import { IconButton } from '../parts/icons.tsx'
import { toast } from '../parts/notices.tsx'
import { type ChatThread, threadKey } from '../state/drafts.ts'
import { ROOT } from '../state/request.ts'
import { route } from '../state/route.ts'
import { formatSize } from '../words/dates.ts'
import { words } from '../words/language.ts'
import type { Attaching, Attachment } from './attach.tsx'
import { inOrder } from './in-order.ts'
import type { Writing } from './writing.ts'

type FileKind = 'photo' | 'video' | 'audio' | 'document'

/** Telegram's bound of an album. */
const ALBUM_FILES_MAX = 10

/** Larger pictures are sent as files, since the page does not shrink them. */
const PHOTO_BYTES_MAX = 10_000_000

/** The kinds of files that are not sent as documents. */
const KINDS: Readonly<Record<string, FileKind>> = {
  'image/jpeg': 'photo',
  'image/png': 'photo',
  'image/webp': 'photo',
  'video/mp4': 'video',
  'audio/mpeg': 'audio',
  'audio/mp4': 'audio',
}

/** A file that is uploaded, or waits for earlier files. */
interface Upload {
  id: number
  /** The `threadKey` of the chat thread. */
  thread: string
  name: string
  size: number
  sentBytes: number
  cancel: () => void
}

interface UploadRequest {
  thread: ChatThread
  file: File
  /** The query of the request. */
  query: Record<string, string>
  onRefusal: (detail: string) => void
}

const uploads = signal<readonly Upload[]>([])

let lastId = 0

/** Uploads the attached files with their caption, one after the other, also while another chat shows. */
export function sendAttached(writing: Writing, attaching: Attaching, caption: string): void {
  const { thread, text, intent, restore, takeReply } = writing
  const { chatId, threadId } = thread
  const albums = toAlbums(attaching.files.value)
  const replyTo = takeReply()
  let isFirst = true
  for (const album of albums) {
    const albumId = album.length > 1 ? newAlbumId() : undefined
    for (const { file } of album) {
      const hasCaption = isFirst
      const query = {
        user_id: String(route.value.as),
        file_name: file.name,
        kind: kindOf(file),
        ...(file.type !== '' && { mime: file.type }),
        ...(threadId !== 0 && { thread_id: String(threadId) }),
        ...(albumId !== undefined && { media_group_id: albumId }),
        ...(isFirst && caption !== '' && { caption }),
        ...(isFirst && replyTo !== undefined && { reply_to_message_id: String(replyTo) }),
      }
      queue({ thread: { chatId, threadId }, file, query, onRefusal })
      isFirst = false

      function onRefusal(detail: string): void {
        const { compose, shell } = words.value
        const why = detail || shell.problems.offline
        toast(compose.notSent(file.name, why), { isProblem: true })
        if (hasCaption) restore(caption)
      }
    }
  }
  // The text was sent as the caption. An edited message keeps its text.
  if (intent?.type !== 'edit') text.value = ''
  attaching.clear()
}

/** Shows the uploads of a chat thread and their progress. */
export function UploadList({ thread }: { thread: ChatThread }) {
  const key = threadKey(thread)
  const running = uploads.value.filter((one) => one.thread === key)
  if (running.length === 0) return null
  const { uploads: title, cancelUpload } = words.value.compose
  return (
    <ul class="uploads" aria-label={title}>
      {running.map(({ id, name, size, sentBytes, cancel }) => (
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

function kindOf({ type, size }: File): FileKind {
  const kind = KINDS[type] ?? 'document'
  return kind === 'photo' && size > PHOTO_BYTES_MAX ? 'document' : kind
}

/** Splits files into albums in their order: photos and videos together, audios and documents apart. */
function toAlbums(attachments: readonly Attachment[]): Attachment[][] {
  const albums: Attachment[][] = []
  for (const attachment of attachments) {
    const last = albums.at(-1)
    const first = last?.[0]
    const canJoin = first !== undefined && familyOf(first) === familyOf(attachment)
    if (last !== undefined && canJoin && last.length < ALBUM_FILES_MAX) last.push(attachment)
    else albums.push([attachment])
  }
  return albums
}

function familyOf({ file }: Attachment): string {
  const kind = kindOf(file)
  return kind === 'photo' || kind === 'video' ? 'visual' : kind
}

/** An int64 in decimal, as Telegram's are. */
function newAlbumId(): string {
  return String(crypto.getRandomValues(new BigUint64Array(1))[0] ?? 1n)
}

function queue(request: UploadRequest): void {
  const thread = threadKey(request.thread)
  const controller = new AbortController()
  const id = ++lastId
  const { name, size } = request.file
  const remove = () => {
    uploads.value = uploads.value.filter((one) => one.id !== id)
  }
  const cancel = () => {
    controller.abort()
    remove()
  }
  const onProgress = (bytes: number) => {
    // A request counts its own frame too.
    const sentBytes = Math.min(bytes, size)
    uploads.value = uploads.value.map((one) => (one.id === id ? { ...one, sentBytes } : one))
  }
  uploads.value = [...uploads.value, { id, thread, name, size, sentBytes: 0, cancel }]
  void inOrder(`files ${thread}`, async () => {
    const refusal = await upload(request, { signal: controller.signal, onProgress })
    remove()
    if (refusal !== undefined) request.onRefusal(refusal)
  })
}

/**
 * Sends the bytes of a file by XMLHttpRequest, since `fetch` reports no progress.
 *
 * @returns The server's words of a refusal, empty if it was not reached; undefined after success or abort.
 */
function upload(
  { thread, file, query }: UploadRequest,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (bytes: number) => void },
): Promise<string | undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(undefined)
    const sending = new XMLHttpRequest()
    sending.open('POST', `${ROOT}/chats/${thread.chatId}/files?${new URLSearchParams(query)}`)
    // Not the file's own type: a form of any site could send text/plain.
    sending.setRequestHeader('content-type', 'application/octet-stream')
    sending.upload.onprogress = ({ loaded }) => onProgress(loaded)
    sending.onload = () => resolve(readRefusal(sending))
    sending.onerror = () => resolve('')
    sending.onabort = () => resolve(undefined)
    signal.addEventListener('abort', () => sending.abort(), { once: true })
    sending.send(file)
  })
}

function readRefusal({ status, responseText }: XMLHttpRequest): string | undefined {
  if (status >= 200 && status < 300) return undefined
  try {
    return (JSON.parse(responseText) as { detail?: string }).detail ?? `HTTP ${status}`
  } catch {
    // A proxy answers without JSON.
    return `HTTP ${status}`
  }
}
