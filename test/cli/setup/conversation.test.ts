import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import {
  askFor,
  CancelledError,
  type Conversation,
  openConversation,
} from '../../../src/cli/setup/conversation.ts'

test('a secret is returned but not shown', async () => {
  const { conversation, type, shown } = open()

  const question = { name: 'Key', kept: undefined, without: '', isSecret: true }
  const key = askFor(conversation, { ...question, toEnv: () => ({}) })
  type('\tsk-one-and-more-of-it\r\n\n')

  expect(await key).toBe('sk-one-and-more-of-it')
  expect(shown()).toContain('Key: sk-o…f-it')
  expect(shown()).not.toContain('one-and')
})

test('the arrow up does not bring a secret back', async () => {
  const { conversation, type, shown } = open()
  const key = conversation.ask('Key', { isSecret: true })
  type('sk-one\r')
  await key

  const name = conversation.ask('Name')
  type('\u001b[A\r')

  expect(await name).toBe('')
  expect(shown()).not.toContain('sk-one')
})

test.each<[string, string, (conversation: Conversation) => Promise<unknown>]>([
  ['Ctrl-C', '\u0003', ({ ask }) => ask('Name')],
  ['Ctrl-C', 'sk-\u0003', ({ ask }) => ask('Key', { isSecret: true })],
  ['Ctrl-C', '\u0003', ({ confirm }) => confirm('Write it?', { initial: true })],
  ['Ctrl-D', '\u0004', ({ confirm }) => confirm('Write it?', { initial: true })],
])('%s (%j) cancels and leaves the terminal usable', async (_, typed, ask) => {
  const { conversation, type, shown, isRaw } = open()

  const answer = ask(conversation)
  const before = isRaw()
  type(typed)

  await expect(answer).rejects.toBeInstanceOf(CancelledError)
  expect([before, isRaw()]).toEqual([true, false])
  const SHOW_CURSOR = '\u001b[?25h'
  expect(shown({ isPlain: false }).lastIndexOf(SHOW_CURSOR)).toBeGreaterThan(
    shown({ isPlain: false }).lastIndexOf('\u001b[?25l'),
  )
})

function open() {
  let isRaw = false
  let shown = ''
  const input = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (mode: boolean) => {
      isRaw = mode
    },
  })
  const output = Object.assign(new PassThrough(), { columns: 80 })
  output.on('data', (piece) => {
    shown += piece
  })
  return {
    conversation: openConversation({ input, output }),
    type: (text: string) => void input.write(text),
    shown: ({ isPlain } = { isPlain: true }) => (isPlain ? stripVTControlCharacters(shown) : shown),
    isRaw: () => isRaw,
  }
}
