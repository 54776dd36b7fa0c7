/** The most that is read of a file: about 250 pages, or as much as a large context takes in one question. */
export const FILE_CHARS_MAX = 500_000

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

/** Makes the text of a file fit for the database and the model. */
export function toFileText(found: string, charsMax = FILE_CHARS_MAX): FileText {
  const text = found.replaceAll('\0', '').toWellFormed().trim()
  if (text === '') return { status: 'no_text' }
  return text.length > charsMax ? { status: 'too_long' } : { status: 'ok', text }
}
