import { expect, test } from 'vitest'
import { splitText } from '../../../../src/playground/control/split-text.ts'
import {
  countMessages,
  TEXT_CHARS_MAX,
} from '../../../../src/playground/page/composer/count-messages.ts'

test.each([
  ['a text of one message', 'a'.repeat(4_096)],
  ['one character more', 'a'.repeat(4_097)],
  ['words', 'word '.repeat(20_000)],
  ['lines', `${'line '.repeat(700)}\n`.repeat(30)],
  ['what is two units and one character', '🦊'.repeat(9_000)],
  ['a gap as long as a message', `a${' '.repeat(9_000)}b`],
])('The page counts the messages that the playground makes of %s', (_, text) => {
  const made = splitText({ text: text.trim(), entities: [] }, TEXT_CHARS_MAX)

  expect(countMessages(text)).toBe(made.length)
})
