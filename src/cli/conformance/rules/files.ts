import { type Media, recogniseMedia } from '../../../platform/http/media-type.ts'
import type { LinkedFile } from '../wire.ts'

/** By the first part of a creation endpoint's path. */
const MEDIA_OF: Readonly<Record<string, Media>> = {
  images: 'image',
  videos: 'video',
  sounds: 'sound',
}

/** A page, a refusal in JSON, or words. */
const TEXT = /^\s*(?:<|[{[]"|[\w ]{8,}$)/

/**
 * Finds why a file is no result of its creation endpoint. One in a format that is not known passes: the interface
 * names none.
 */
export function findFileProblem({
  path,
  file: { status, bytes, contentType, head },
}: {
  path: string
  file: LinkedFile
}): string | undefined {
  // Another rule judges links that lead to nothing.
  if (status !== 200) return undefined
  if (bytes === 0) return 'a result of 0 bytes'
  const asked = MEDIA_OF[path.split('/')[0] ?? '']
  const media = recogniseMedia(head)?.media
  if (media === undefined) {
    return TEXT.test(head.toString('latin1')) ? `a result that is text (${contentType})` : undefined
  }
  return asked === undefined || media === asked
    ? undefined
    : `a result of /${path} that is ${media}`
}
