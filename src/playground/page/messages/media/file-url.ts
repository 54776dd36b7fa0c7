import { ROOT } from '../../request.ts'

/** Returns the address of the bytes of a file that a message shows. */
export function fileUrl(fileUniqueId: string): string {
  return `${ROOT}/files/${encodeURIComponent(fileUniqueId)}`
}
