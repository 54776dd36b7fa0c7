import { expect, test } from 'vitest'
import { writeTable } from '../../../src/cli/command-line/write-output.ts'

test('a table has each column as wide as its widest cell, points below points, no end of spaces', () => {
  const columns = [{ head: 'name' }, { head: 'RUB', isNumber: true }, { head: 'note' }]

  const text = writeTable(columns, [
    ['shop', '1234', ''],
    ['a longer name', '-0.000001', 'x'],
    ['bot', '', 'none'],
  ])

  expect(text.split('\n')).toEqual([
    'name                   RUB  note',
    'shop           1234',
    'a longer name    -0.000001  x',
    'bot                         none',
  ])
})

test('a table without rows is its head', () => {
  expect(writeTable([{ head: 'account' }, { head: 'RUB', isNumber: true }], [])).toBe(
    'account  RUB',
  )
})
