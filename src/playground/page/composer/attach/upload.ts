import { ROOT } from '../../request.ts'
import type { FileKind } from './attachment.ts'

/** One file on its way into a chat. */
export interface UploadRequest {
  chatId: number
  userId: number
  threadId: number
  file: File
  kind: FileKind
  caption: string
  replyTo: number | undefined
  /** Empty for a file that is in no album. */
  albumId: string
}

/** How an upload ended. A refusal has the server's words; without any the server was not reached. */
export type UploadEnd =
  | { status: 'sent' }
  | { status: 'cancelled' }
  | { status: 'refused'; detail: string }

/**
 * Sends the bytes of a file. `fetch` would not report how far it is, so this is an XMLHttpRequest.
 *
 * @param onProgress Takes the bytes that have left.
 */
export function upload(
  request: UploadRequest,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (bytes: number) => void },
): Promise<UploadEnd> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve({ status: 'cancelled' })
    const sending = new XMLHttpRequest()
    sending.open('POST', addressOf(request))
    // Not the file's own type: a form of any site could send text/plain.
    sending.setRequestHeader('content-type', 'application/octet-stream')
    sending.upload.onprogress = ({ loaded }) => onProgress(loaded)
    sending.onload = () => resolve(toEnd(sending))
    sending.onerror = () => resolve({ status: 'refused', detail: '' })
    sending.onabort = () => resolve({ status: 'cancelled' })
    signal.addEventListener('abort', () => sending.abort(), { once: true })
    sending.send(request.file)
  })
}

function addressOf(request: UploadRequest): string {
  const { chatId, userId, threadId, file, kind, caption, replyTo, albumId } = request
  const query = new URLSearchParams({
    user_id: String(userId),
    file_name: file.name,
    kind,
    ...(file.type !== '' && { mime: file.type }),
    ...(caption !== '' && { caption }),
    ...(threadId !== 0 && { thread_id: String(threadId) }),
    ...(replyTo !== undefined && { reply_to_message_id: String(replyTo) }),
    ...(albumId !== '' && { media_group_id: albumId }),
  })
  return `${ROOT}/chats/${chatId}/files?${query}`
}

function toEnd({ status, responseText }: XMLHttpRequest): UploadEnd {
  if (status >= 200 && status < 300) return { status: 'sent' }
  return { status: 'refused', detail: readDetail(responseText) || `HTTP ${status}` }
}

function readDetail(text: string): string {
  try {
    return (JSON.parse(text) as { detail?: string }).detail ?? ''
  } catch {
    // What stands between the page and its server answers without JSON.
    return ''
  }
}
