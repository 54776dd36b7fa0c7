import { describe, expect, test } from 'vitest'
import type { FileFormat } from '../../../../src/bot/conversations/files/attachment.ts'
import { readDocx, readPdf } from '../../../../src/bot/conversations/files/file-program.ts'
import {
  FILE_CHARS_MAX,
  type FileProblem,
  readApart,
} from '../../../../src/bot/conversations/files/read-apart.ts'
import { FileReader } from '../../../../src/bot/conversations/files/read-file.ts'
import { makeDocx } from './make-docx.ts'
import { makePdf } from './make-pdf.ts'

const OPTIONS = { signal: new AbortController().signal, charsMax: FILE_CHARS_MAX, userId: 1 }
const FILE = { fileId: 'file', fileUniqueId: 'unique', name: 'name', sizeBytes: 1 }
const LINE = 'The quick brown fox jumps over the lazy dog'
const PAGE = Array.from({ length: 40 }, () => LINE).join('\n')

/** Reads in this process what the bot reads in one of its own: a start takes longer than the reading. */
const readHere: typeof readApart = ({ format, bytes }) =>
  format === 'pdf' ? readPdf(bytes) : readDocx(bytes)

function readBytes(
  format: FileFormat,
  bytes: Buffer,
  { charsMax = FILE_CHARS_MAX, readPacked = readHere } = {},
) {
  const reader = new FileReader({
    download: async () => ({ status: 'ok', bytes }),
    readPacked,
  })
  return reader.read({ ...FILE, format, sizeBytes: bytes.length }, { ...OPTIONS, charsMax })
}

test('a PDF of 200 pages is read whole', async () => {
  // A busy machine needs more time than the bot gives.
  const readPacked: typeof readApart = (file, options) =>
    readApart(file, { ...options, timeoutMs: 60_000 })
  const pages = Array.from({ length: 200 }, () => PAGE)

  const found = await readBytes('pdf', makePdf(pages), { readPacked })

  expect(found).toMatchObject({ status: 'ok', text: expect.stringContaining(PAGE) })
})

describe('no text, and the reason', () => {
  test.each<[string, FileFormat, () => Buffer]>([
    ['encrypted', 'pdf', () => makePdf(['secret'], { isEncrypted: true })],
    ['broken', 'pdf', () => makeDocx(['not what its name says'])],
    ['no_text', 'pdf', () => makePdf(['', ''])],
    ['too_long', 'pdf', () => makePdf(Array.from({ length: 2_001 }, (_, page) => `Page ${page}`))],
    ['encrypted', 'docx', () => containerOf('EncryptedPackage')],
    ['broken', 'docx', () => containerOf('WordDocument')],
    ['too_long', 'docx', () => makeDocx(Array.from({ length: 11_200 }, () => LINE))],
    ['no_text', 'text', () => Buffer.from(' \r\n\t ')],
    ['broken', 'text', () => Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
    ['too_long', 'text', () => Buffer.alloc(FILE_CHARS_MAX + 1, 'a')],
  ])('%s: %s', async (status, format, make) => {
    expect(await readBytes(format, make())).toEqual({ status })
  })

  test('too_long: a text for which those before it leave no room', async () => {
    const found = await readBytes('text', Buffer.from('four words stand here'), { charsMax: 20 })

    expect(found).toEqual({ status: 'too_long' })
  })

  test.each<[FileProblem, FileFormat, number]>([
    ['too_long', 'text', 200_000_000],
    ['too_large', 'pdf', 200_000_000],
  ])('%s: a %s of %i bytes is not even fetched', async (status, format, sizeBytes) => {
    const reader = new FileReader({ download: () => Promise.reject(new Error('fetched')) })

    expect(await reader.read({ ...FILE, format, sizeBytes }, OPTIONS)).toEqual({ status })
  })
})

test('four packed files are fetched at a time, one of each user, and one of them is unpacked; the others wait', async () => {
  const now = { fetched: 0, unpacked: 0 }
  const most = { ...now }
  const during = async (name: keyof typeof now) => {
    most[name] = Math.max(most[name], ++now[name])
    await new Promise((resolve) => setImmediate(resolve))
    now[name]--
  }
  const reader = new FileReader({
    download: async () => {
      await during('fetched')
      return { status: 'ok', bytes: Buffer.from('x') }
    },
    readPacked: async () => {
      await during('unpacked')
      return { status: 'ok', text: 'x' }
    },
  })

  await Promise.all(
    Array.from({ length: 12 }, (_, userId) =>
      reader.read({ ...FILE, format: 'pdf' }, { ...OPTIONS, userId }),
    ),
  )

  expect(most).toEqual({ fetched: 4, unpacked: 1 })
})

function containerOf(part: string): Buffer {
  return Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.from(part, 'utf16le')])
}
