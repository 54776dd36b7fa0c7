import { signal } from '@preact/signals'
import { type ChatThread, threadKey } from '../chat-thread.ts'
import { inOrder } from '../in-order.ts'
import type { Sendable } from './attachment.ts'
import { type UploadRequest, upload } from './upload.ts'

/** A file that is going into a chat, or waits for those before it. */
export interface Upload {
  id: number
  /** The `threadKey` of the chat thread. */
  thread: string
  name: string
  size: number
  sentBytes: number
  cancel: () => void
}

/** Those of every chat, in the order in which they go. */
export const uploads = signal<readonly Upload[]>([])

/** The options of a request that go for all its files. */
export interface FilesRequest {
  userId: number
  thread: ChatThread
  albums: readonly (readonly Sendable[])[]
  /** Stands at the first file. */
  caption: string
  replyTo: number | undefined
  onRefusal: (file: File, detail: string) => void
}

let lastId = 0

/** Sends files one after the other; each is in `uploads` until it ended. It goes on when another chat is shown. */
export function sendFiles(request: FilesRequest): void {
  const { thread, albums, caption, replyTo } = request
  let isFirst = true
  for (const album of albums) {
    const albumId = album.length > 1 ? newAlbumId() : ''
    for (const { attachment, kind } of album) {
      const { chatId, threadId } = thread
      const target = { chatId, threadId, userId: request.userId, albumId, kind }
      const first = { caption: isFirst ? caption : '', replyTo: isFirst ? replyTo : undefined }
      queue({ ...target, ...first, file: attachment.file }, request)
      isFirst = false
    }
  }
}

function queue(request: UploadRequest, { thread, onRefusal }: FilesRequest): void {
  const key = threadKey(thread)
  const controller = new AbortController()
  const id = ++lastId
  const { name, size } = request.file
  const cancel = () => {
    controller.abort()
    forget(id)
  }
  uploads.value = [...uploads.value, { id, thread: key, name, size, sentBytes: 0, cancel }]
  // Files arrive in the order in which they were chosen; a text does not wait for them.
  void inOrder(`files ${key}`, async () => {
    const onProgress = (bytes: number) => recordProgress(id, bytes)
    const end = await upload(request, { signal: controller.signal, onProgress })
    forget(id)
    if (end.status === 'refused') onRefusal(request.file, end.detail)
  })
}

function recordProgress(id: number, bytes: number): void {
  // A request counts its own frame too.
  const advanced = (one: Upload) => ({ ...one, sentBytes: Math.min(bytes, one.size) })
  uploads.value = uploads.value.map((one) => (one.id === id ? advanced(one) : one))
}

function forget(id: number): void {
  uploads.value = uploads.value.filter((one) => one.id !== id)
}

/** An int64 in decimal, as Telegram's are. */
function newAlbumId(): string {
  return String(crypto.getRandomValues(new BigUint64Array(1))[0] ?? 1n)
}
