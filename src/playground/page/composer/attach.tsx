import { signal } from '@preact/signals'
import { Icon, IconButton } from '../parts/icons.tsx'
import { toast } from '../parts/notices.tsx'
import { type ChatThread, threadKey } from '../state/drafts.ts'
import { bot } from '../state/people.ts'
import { ask, RequestError } from '../state/request.ts'
import { route } from '../state/route.ts'
import { formatSize } from '../words/dates.ts'
import { words } from '../words/language.ts'
import { inOrder } from './in-order.ts'
import type { Writing } from './writing.ts'

/** Telegram's bounds of an album and of a caption. */
const ALBUM_FILES_MAX = 10
export const CAPTION_CHARS_MAX = 1_024

/** Larger pictures are sent as files, since the page does not shrink them. */
const PHOTO_BYTES_MAX = 10_000_000

/** The kinds of files that are not sent as documents. */
const KINDS: Readonly<Record<string, string>> = {
  'image/jpeg': 'photo',
  'image/png': 'photo',
  'image/webp': 'photo',
  'video/mp4': 'video',
  'audio/mpeg': 'audio',
  'audio/mp4': 'audio',
}

/** A file that was chosen, until it is sent or removed. */
interface Attachment {
  id: string
  /** The `threadKey` of the chat thread. */
  thread: string
  file: File
  isSending: boolean
}

const attachments = signal<readonly Attachment[]>([])

/** Returns the files of a chat thread that were chosen and not sent. */
export function chosenIn(thread: ChatThread): readonly Attachment[] {
  const key = threadKey(thread)
  return attachments.value.filter((one) => one.thread === key && !one.isSending)
}

/** Adds files to the next message. Files that cannot be sent are refused in words. */
export function attach(thread: ChatThread, files: readonly File[]): void {
  const { compose } = words.value
  const bytesMax = bot.value?.file_bytes_max ?? Number.POSITIVE_INFINITY
  const added: Attachment[] = []
  for (const file of files) {
    const { name, size } = file
    const isLarge = size > bytesMax
    if (isLarge || size === 0) {
      const problem = isLarge
        ? compose.largeFile(name, formatSize(size), formatSize(bytesMax))
        : compose.emptyFile(name)
      toast(problem, { isProblem: true })
      continue
    }
    added.push({ id: newId(), thread: threadKey(thread), file, isSending: false })
  }
  attachments.value = [...attachments.value, ...added]
}

/** Sends the chosen files one after the other, also while another chat shows. The first has the caption. */
export function sendAttached({ thread, restore, takeReply }: Writing, caption: string): void {
  const chosen = chosenIn(thread)
  const replyTo = takeReply()
  attachments.value = attachments.value.map((one) =>
    chosen.includes(one) ? { ...one, isSending: true } : one,
  )
  for (const album of toAlbums(chosen)) {
    const albumId = newId()
    for (const attachment of album) {
      const isFirst = attachment === chosen[0]
      const query = {
        ...(album.length > 1 && { media_group_id: albumId }),
        ...(isFirst && caption !== '' && { caption }),
        ...(isFirst && replyTo !== undefined && { reply_to_message_id: String(replyTo) }),
      }
      const send = () => upload(attachment, thread, query)
      void inOrder(`files ${attachment.thread}`, send).then((isSent) => {
        if (!isSent && isFirst) restore(caption)
      })
    }
  }
}

export function AttachmentList({ thread }: { thread: ChatThread }) {
  const key = threadKey(thread)
  const shown = attachments.value.filter((one) => one.thread === key)
  if (shown.length === 0) return null
  const { compose } = words.value
  return (
    <ul class="attached" aria-label={compose.attached}>
      {shown.map(({ id, file, isSending }) => (
        <li key={id} class="attached-file row hint" aria-busy={isSending}>
          <Icon name="file" />
          <span class="cut fill">{file.name}</span>
          <span class="small num">{formatSize(file.size)}</span>
          {isSending ? (
            <span class="spinner" role="status" aria-label={compose.sending} />
          ) : (
            <IconButton icon="close" label={compose.remove(file.name)} onClick={() => remove(id)} />
          )}
        </li>
      ))}
    </ul>
  )
}

async function upload(
  { id, file }: Attachment,
  { chatId, threadId }: ChatThread,
  more: Record<string, string>,
): Promise<boolean> {
  const query = new URLSearchParams({
    user_id: String(route.value.as),
    file_name: file.name,
    kind: kindOf(file),
    ...(file.type !== '' && { mime: file.type }),
    ...(threadId !== 0 && { thread_id: String(threadId) }),
    ...more,
  })
  // Not the file's own type: a form of any site could send text/plain.
  const headers = { 'content-type': 'application/octet-stream' }
  try {
    await ask(`/chats/${chatId}/files?${query}`, { method: 'POST', headers, body: file })
    return true
  } catch (error) {
    const { compose, shell } = words.value
    const detail = error instanceof RequestError ? error.detail : ''
    toast(compose.notSent(file.name, detail || shell.problems.offline), { isProblem: true })
    return false
  } finally {
    remove(id)
  }
}

function remove(id: string): void {
  attachments.value = attachments.value.filter((one) => one.id !== id)
}

function kindOf({ type, size }: File): string {
  const kind = KINDS[type] ?? 'document'
  return kind === 'photo' && size > PHOTO_BYTES_MAX ? 'document' : kind
}

function toAlbums(chosen: readonly Attachment[]): Attachment[][] {
  const albums: Attachment[][] = []
  const familyOf = ({ file }: Attachment) => kindOf(file).replace(/^(photo|video)$/, 'visual')
  for (const attachment of chosen) {
    const last = albums.at(-1)
    const first = last?.[0]
    const canJoin = first !== undefined && familyOf(first) === familyOf(attachment)
    if (last !== undefined && canJoin && last.length < ALBUM_FILES_MAX) last.push(attachment)
    else albums.push([attachment])
  }
  return albums
}

/** Makes an int64 in decimal, as Telegram's ids of albums are. */
function newId(): string {
  return String(crypto.getRandomValues(new BigUint64Array(1))[0] ?? 1n)
}
