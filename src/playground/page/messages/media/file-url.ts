import { ROOT } from '../../talk/request.ts'

/** Where the bytes of a file are that a message shows. */
export function fileUrl(fileUniqueId: string): string {
  return `${ROOT}/files/${encodeURIComponent(fileUniqueId)}`
}
