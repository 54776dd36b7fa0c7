import mammoth from 'mammoth'
import { type FileText, toFileText } from '../file-text.ts'
import { checkZip } from './check-zip.ts'

/** A document with a password is no ZIP, but one of Microsoft's older containers, and so is a DOC. */
const CONTAINER_MARK = Buffer.from('d0cf11e0', 'hex')
const LOCKED_PART = Buffer.from('EncryptedPackage', 'utf16le')

/** Reads the text of a Word document after a check of how much is packed in it. */
export async function readDocx(bytes: Uint8Array): Promise<FileText> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  if (buffer.indexOf(CONTAINER_MARK) === 0) {
    return { status: buffer.includes(LOCKED_PART) ? 'encrypted' : 'broken' }
  }
  const checked = await checkZip(buffer)
  if (checked !== 'ok') return { status: checked }
  try {
    const { value } = await mammoth.extractRawText({ buffer })
    return toFileText(value.replace(/\n{3,}/g, '\n\n'))
  } catch {
    // The thread has no log, and the user reads the same for every such error.
    return { status: 'broken' }
  }
}
