/** The text in a PDF or a Word document. A stranger may have made it: it runs in `file-program.ts` alone. */
import { pipeline } from 'node:stream/promises'

/** Why a file has no text for the model. */
export type FileProblem =
  /** More bytes than Telegram gives. */
  | 'too_large'
  /** More than `FILE_CHARS_MAX` characters, also together with the files before it. */
  | 'too_long'
  /** It took more time or memory than a file may. */
  | 'too_heavy'
  /** It was not read: several files of its sender took much time or memory within the last hour. */
  | 'too_many_heavy'
  | 'encrypted'
  /** Damaged, or not what its name says. */
  | 'broken'
  /** No letter in it; of a PDF: pictures of pages. */
  | 'no_text'
  /** Telegram does not give it, or not now. */
  | 'gone'

/** The text of a file, or the reason why it has none. */
export type FileText = { status: 'ok'; text: string } | { status: FileProblem }

/** The most that is read of a file: about 250 pages, or as much as a large context takes in one question. */
export const FILE_CHARS_MAX = 500_000

/** Pages of a long list are found ever more slowly: of 10,000 empty ones in 18 s. */
const PAGES_MAX = 2_000
/** PDF.js knows four levels; at this one it prints nothing. */
const SILENT = 0
/** A document with a password is no ZIP, but one of Microsoft's older containers, and so is a DOC. */
const CONTAINER_MARK = Buffer.from('d0cf11e0', 'hex')
const LOCKED_PART = Buffer.from('EncryptedPackage', 'utf16le')
const UNPACKED_BYTES_MAX = 50 * 2 ** 20
const ENTRIES_MAX = 5_000

/** Makes the text of a file fit for the database and the model. */
export function toFileText(found: string, charsMax = FILE_CHARS_MAX): FileText {
  const text = found.replaceAll('\0', '').toWellFormed().trim()
  if (text === '') return { status: 'no_text' }
  return text.length > charsMax ? { status: 'too_long' } : { status: 'ok', text }
}

/** Reads the text of a PDF, page by page, as far as a file may be long. */
export async function readPdf(bytes: Uint8Array): Promise<FileText> {
  // Each library takes a while to load, and a file needs one of them.
  const { getDocumentProxy } = await import('unpdf')
  try {
    // PDF.js takes no Buffer, which is what comes from another process.
    const pdf = await getDocumentProxy(new Uint8Array(bytes), { verbosity: SILENT })
    if (pdf.numPages > PAGES_MAX) return { status: 'too_long' }
    const pages: string[] = []
    let chars = 0
    for (let number = 1; number <= pdf.numPages && chars <= FILE_CHARS_MAX; number++) {
      const page = await pdf.getPage(number)
      const { items } = await page.getTextContent()
      const pieces = items.map((item) =>
        'str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : '',
      )
      const text = pieces.join('').trim()
      page.cleanup()
      if (text !== '') pages.push(text)
      chars += text.length
    }
    return toFileText(pages.join('\n\n'))
  } catch (error) {
    const isLocked = error instanceof Error && error.name === 'PasswordException'
    return { status: isLocked ? 'encrypted' : 'broken' }
  }
}

/** Reads the text of a Word document after a check of how much is packed in it. */
export async function readDocx(bytes: Uint8Array): Promise<FileText> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  if (buffer.indexOf(CONTAINER_MARK) === 0) {
    return { status: buffer.includes(LOCKED_PART) ? 'encrypted' : 'broken' }
  }
  try {
    if (await isBomb(buffer)) return { status: 'too_heavy' }
    const { default: mammoth } = await import('mammoth')
    const { value } = await mammoth.extractRawText({ buffer })
    return toFileText(value.replace(/\n{3,}/g, '\n\n'))
  } catch {
    // The process has no log, and the user reads the same for every such error.
    return { status: 'broken' }
  }
}

/**
 * Checks that a ZIP is no bomb before anything unpacks it: by the sizes that it declares, in no time, and then by
 * unpacking it, since those may lie. The unpacked bytes are counted and not kept.
 *
 * @throws If it is no ZIP, or more is packed than an entry declares.
 */
async function isBomb(bytes: Buffer): Promise<boolean> {
  const { fromBufferPromise } = await import('yauzl')
  const zip = await fromBufferPromise(bytes)
  if (zip.entryCount > ENTRIES_MAX) return true
  const entries = await Array.fromAsync(zip.eachEntry())
  const declared = entries.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0)
  if (declared > UNPACKED_BYTES_MAX) return true
  for (const entry of entries) {
    await pipeline(await zip.openReadStreamPromise(entry), async (pieces) => {
      for await (const _piece of pieces) void 0
    })
  }
  return false
}
