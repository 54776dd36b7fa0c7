/**
 * Reads one PDF or Word document in its own process. A file from a stranger may hang or take all memory: a second
 * thread then kills the process. The working thread cannot check itself, and from outside each system differs.
 */
import { once } from 'node:events'
import { isMainThread, Worker } from 'node:worker_threads'
import { FILE_CHARS_MAX, type FileText, MEMORY_MB_MAX, type PackedFile } from './read-apart.ts'

/** A file that is unpacked fills some 10 MB in that time. */
const CHECK_EVERY_MS = 20
/** Pages of a long list are found ever more slowly: 10,000 empty pages take 18 s. */
const PAGES_MAX = 2_000
/** PDF.js knows four levels; at this level it prints nothing. */
const SILENT = 0
/** A document with a password is no ZIP but an older container of Microsoft's, as a DOC is. */
const CONTAINER_MARK = Buffer.from('d0cf11e0', 'hex')
const LOCKED_PART = Buffer.from('EncryptedPackage', 'utf16le')

const timeoutMs = Number(process.argv[2])
// Tests import the readers alone.
if (timeoutMs > 0) await (isMainThread ? readFile() : watch())

async function readFile(): Promise<void> {
  // A stop of the bot may also reach this process. Only the bot handles it: the file is not to blame.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
  process.once('disconnect', () => process.exit())
  await once(new Worker(new URL(import.meta.url), { argv: process.argv.slice(2) }), 'online')
  process.once('message', async ({ format, bytes }: PackedFile) => {
    process.send?.(await (format === 'pdf' ? readPdf(bytes) : readDocx(bytes)))
  })
  process.send?.('ready')
}

function watch(): void {
  setInterval(() => {
    const isOver = process.uptime() * 1000 > timeoutMs
    if (isOver || process.memoryUsage.rss() > MEMORY_MB_MAX * 2 ** 20) {
      process.kill(process.pid, 'SIGKILL')
    }
  }, CHECK_EVERY_MS)
}

export async function readPdf(bytes: Uint8Array): Promise<FileText> {
  // Each library takes a while to load, and a file needs one of them.
  const { getDocumentProxy } = await import('unpdf')
  try {
    // PDF.js rejects a Buffer, which another process sends.
    const pdf = await getDocumentProxy(new Uint8Array(bytes), { verbosity: SILENT })
    if (pdf.numPages > PAGES_MAX) return { status: 'too_long' }
    const pages: string[] = []
    let chars = 0
    for (let number = 1; number <= pdf.numPages && chars <= FILE_CHARS_MAX; number++) {
      const page = await pdf.getPage(number)
      const { items } = await page.getTextContent()
      const pieces = items.map((item) =>
        'str' in item ? item.str + (item.hasEOL ? '\n' : '') : '',
      )
      const text = pieces.join('').trim()
      page.cleanup()
      if (text !== '') pages.push(text)
      chars += text.length
    }
    return { status: 'ok', text: pages.join('\n\n') }
  } catch (error) {
    const isLocked = error instanceof Error && error.name === 'PasswordException'
    return { status: isLocked ? 'encrypted' : 'broken' }
  }
}

export async function readDocx(bytes: Uint8Array): Promise<FileText> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  if (buffer.indexOf(CONTAINER_MARK) === 0) {
    return { status: buffer.includes(LOCKED_PART) ? 'encrypted' : 'broken' }
  }
  try {
    const { default: mammoth } = await import('mammoth')
    const { value } = await mammoth.extractRawText({ buffer })
    return { status: 'ok', text: value.replace(/\n{3,}/g, '\n\n') }
  } catch {
    // The process has no log, and the user reads the same for every such error.
    return { status: 'broken' }
  }
}
