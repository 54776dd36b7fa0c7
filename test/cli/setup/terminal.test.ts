import { PassThrough } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { ReadStream, WriteStream } from 'node:tty'
import { expect, onTestFinished, test } from 'vitest'
import { CancelledError, openTerminal } from '../../../src/cli/setup/terminal.ts'

test('an answer is read without the spaces around it, and shown; a secret is not shown', async () => {
  const { terminal, type, shown } = open()

  const name = terminal.ask('Name: ')
  await type('  Ann \r')
  const key = terminal.askSecret('Key: ')
  await type('\tsk-one \r')

  expect([await name, await key]).toEqual(['Ann', 'sk-one'])
  expect(shown()).toContain('Ann')
  expect(shown()).toContain('Key: \n')
  expect(shown()).not.toContain('sk-one')
})

test('what is typed while nothing is asked is no answer, whole or in part, and is not shown', async () => {
  const { terminal, type, shown } = open()
  await type('early\rand a part of')

  const answer = terminal.ask('Name: ')
  await type('Ann\r')

  expect(await answer).toBe('Ann')
  expect(shown()).not.toContain('early')
  expect(shown()).not.toContain('part')
})

test('the ends of lines in a paste are spaces, however it is cut', async () => {
  const { terminal, type } = open()

  const key = terminal.askSecret('Key: ')
  await type('\u001b[200~\r\n  sk-')
  await type('one\r\ntwo\n\u001b[201~')
  await type('\r')

  expect(await key).toBe('sk-one two')
})

test('after Ctrl-C no question is answered, and the signal says why', async () => {
  const { terminal, type } = open()
  const broken = expect(terminal.ask('Name: ')).rejects.toBeInstanceOf(CancelledError)

  await type('An\u0003')

  await broken
  await expect(terminal.askSecret('Key: ')).rejects.toBeInstanceOf(CancelledError)
  expect(terminal.signal.reason).toBeInstanceOf(CancelledError)
})

test('closed, the terminal is as it was', async () => {
  const { terminal, shown, isRaw } = open()
  const before = isRaw()

  terminal.close()

  expect([before, isRaw()]).toEqual([true, false])
  expect(shown()).toBe('\u001b[?2004h\u001b[?2004l')
})

function open() {
  let isRaw = false
  let shown = ''
  const input = Object.assign(new PassThrough(), {
    setRawMode: (mode: boolean) => {
      isRaw = mode
    },
  })
  const output = Object.assign(new PassThrough(), { columns: 80 })
  output.on('data', (piece) => {
    shown += piece
  })
  const terminal = openTerminal({
    input: input as unknown as ReadStream,
    output: output as unknown as WriteStream,
    isDumb: false,
  })
  onTestFinished(() => terminal.close())
  return { terminal, type, shown: () => shown, isRaw: () => isRaw }

  async function type(text: string): Promise<void> {
    input.write(text)
    await setImmediate()
    await setImmediate()
  }
}
