import { getDocumentProxy } from 'unpdf'
import { FILE_CHARS_MAX, type FileText, toFileText } from '../file-text.ts'

/** Pages of a long list are found ever more slowly: of 10,000 empty ones in 18 s. */
const PAGES_MAX = 2_000

/** PDF.js knows four levels; at this one it prints nothing. */
const SILENT = 0

/** Reads the text of a PDF, page by page, as far as a file may be long. */
export async function readPdf(bytes: Uint8Array): Promise<FileText> {
  let pages: string[]
  try {
    // PDF.js takes no Buffer, which is what comes from another process.
    const pdf = await getDocumentProxy(new Uint8Array(bytes), { verbosity: SILENT })
    if (pdf.numPages > PAGES_MAX) return { status: 'too_long' }
    pages = await readPages(pdf)
  } catch (error) {
    return { status: isLocked(error) ? 'encrypted' : 'broken' }
  }
  return toFileText(pages.join('\n\n'))
}

async function readPages(pdf: Awaited<ReturnType<typeof getDocumentProxy>>): Promise<string[]> {
  const pages: string[] = []
  let chars = 0
  for (let number = 1; number <= pdf.numPages && chars <= FILE_CHARS_MAX; number++) {
    const page = await pdf.getPage(number)
    const { items } = await page.getTextContent()
    const pieces = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : ''))
    const text = pieces.join('').trim()
    page.cleanup()
    if (text === '') continue
    pages.push(text)
    chars += text.length
  }
  return pages
}

function isLocked(error: unknown): boolean {
  return error instanceof Error && error.name === 'PasswordException'
}
