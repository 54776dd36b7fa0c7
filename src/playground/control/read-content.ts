import { isJsonObject } from '../../platform/http/json.ts'
import { FILE_KINDS } from '../world/files.ts'
import type { GivenContent, UserFile } from './user-content.ts'

/**
 * Reads what a person with curl sends: a text, or a file in base64 with or without a caption, such as
 * `{"document": {"base64": "SGk=", "file_name": "a.txt"}, "caption": "What is this?"}`.
 *
 * @returns Undefined where it is neither.
 */
export function readContent(fields: Readonly<Record<string, unknown>>): GivenContent | undefined {
  const { text, caption } = fields
  if (typeof text === 'string') return { text }
  const kind = FILE_KINDS.find((known) => fields[known] !== undefined)
  const file = kind && readFile(fields[kind])
  if (kind === undefined || file === undefined) return undefined
  return { [kind]: file, ...(typeof caption === 'string' && { caption }) }
}

function readFile(given: unknown): UserFile | undefined {
  if (!isJsonObject(given) || typeof given.base64 !== 'string') return undefined
  const { base64, file_name: fileName, mime_type: mime, file_size: sizeBytes } = given
  return {
    bytes: Buffer.from(base64, 'base64'),
    ...(typeof fileName === 'string' && { fileName }),
    ...(typeof mime === 'string' && { mime }),
    ...(typeof sizeBytes === 'number' && { sizeBytes }),
  }
}
