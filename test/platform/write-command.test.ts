import { expect, test } from 'vitest'
import { writeCommand } from '../../src/platform/write-command.ts'

test.each([
  ['start', [], 'npm start'],
  ['start', ['bot'], 'npm start -- bot'],
  ['account', ['create --name shop'], 'npm run account -- create --name shop'],
])('a clone runs %s %j as a script of npm', (name, args, written) => {
  expect(writeCommand(name, ...args)).toBe(written)
})
