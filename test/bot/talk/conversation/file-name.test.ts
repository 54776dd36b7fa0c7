import { expect, test } from 'vitest'
import { toFileName } from '../../../../src/bot/talk/conversation/export.ts'

test.each([
  ['Как открыть порт 80?', 'Как открыть порт 80 2026-11-21.md'],
  ['..\\..//etc/passwd', 'etc passwd 2026-11-21.md'],
  ['a\u202egnp.exe\n', 'a gnp.exe 2026-11-21.md'],
  ['???', '2026-11-21.md'],
])('a file named after "%s" has a name that every file system takes', (title, expected) => {
  expect(toFileName(title, { day: '2026-11-21', extension: 'md' })).toBe(expected)
})
