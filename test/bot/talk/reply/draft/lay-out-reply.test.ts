import { expect, test } from 'vitest'
import { createReplyLayout } from '../../../../../src/bot/talk/reply/draft/lay-out-reply.ts'

const PARAGRAPH = `${'Some **bold** words. '.repeat(40).trim()}\n\n`

test('plain words below a reply mean nothing but themselves', () => {
  const notes = ['(It cost *about* <b>₽1</b>_)', '# Second']
  const layOut = createReplyLayout()

  const [rich] = layOut({ text: '**a', notes }, { formatting: 'rich', isInterim: false })
  const [text] = layOut({ text: '**a**', notes }, { formatting: 'entities', isInterim: false })

  expect(rich?.body).toEqual({
    markdown: '\\*\\*a\n\n(It cost \\*about\\* &lt;b>₽1&lt;/b>\\_)\n\n\\# Second',
  })
  expect(text?.body).toEqual({
    text: 'a\n\n(It cost *about* <b>₽1</b>_)\n\n# Second',
    entities: [{ type: 'bold', offset: 0, length: 1 }],
  })
})

test('words of the bot without a reply are a message of their own', () => {
  const parts = createReplyLayout()(
    { text: '', notes: ['Nothing came.'] },
    { formatting: 'rich', isInterim: false },
  )

  expect(parts).toEqual([{ end: 0, body: { markdown: 'Nothing came.' } }])
})

test.each(['rich', 'entities', 'none'] as const)(
  'the messages of a growing reply (%s) stay once there is a next one, and end where their text does',
  (formatting) => {
    const text = PARAGRAPH.repeat(30)
    const layOut = createReplyLayout()
    let before = layOut({ text: text.slice(0, 1) }, { formatting, isInterim: true })
    for (let length = 500; length <= text.length; length += 500) {
      const parts = layOut({ text: text.slice(0, length) }, { formatting, isInterim: true })

      expect(parts.slice(0, before.length - 1)).toEqual(before.slice(0, -1))
      expect(parts.at(-1)?.end).toBe(length)
      before = parts
    }
    const whole = layOut({ text }, { formatting, isInterim: false })

    expect(whole.slice(0, -1)).toEqual(before.slice(0, -1))
    expect(whole.length).toBeGreaterThan(2)
    for (const { body } of whole) {
      if ('text' in body) expect(body.text.length).toBeLessThanOrEqual(4000)
    }
  },
)

test('a beginning that says nothing yet is no message', () => {
  const layOut = createReplyLayout()

  expect(layOut({ text: '| a | b |' }, { formatting: 'rich', isInterim: true })).toEqual([])
  expect(layOut({ text: '12 34' }, { formatting: 'rich', isInterim: true })).toHaveLength(1)
})
