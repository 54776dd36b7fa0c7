import { expect, test } from 'vitest'
import { readFileFormat } from '../../../../src/bot/talk/files/file-format.ts'

const WORD = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'

test.each([
  ['text', 'notes.txt', 'text/plain'],
  ['text', 'main.ts', 'video/mp2t'],
  ['text', 'data.JSON', 'application/json'],
  ['text', 'Makefile', 'application/octet-stream'],
  ['text', '.env', ''],
  ['text', 'drawing.svg', 'image/svg+xml'],
  ['text', '<b>x</b>.md', ''],
  ['pdf', 'Report.PDF', ''],
  ['pdf', 'scan', 'application/pdf'],
  ['docx', 'letter.docx', ''],
  ['docx', 'letter', WORD],
  [undefined, 'photo.jpg', 'image/jpeg'],
  [undefined, 'photo', 'image/jpeg'],
  [undefined, 'archive.zip', 'application/zip'],
  [undefined, 'archive', 'application/x-rar-compressed'],
  [undefined, 'old.doc', 'application/msword'],
  [undefined, 'setup.exe', 'application/octet-stream'],
  [undefined, 'song.mp3', ''],
])('%s: %s, %s', (format, file_name, mime_type) => {
  expect(readFileFormat({ file_name, mime_type })).toBe(format)
})
