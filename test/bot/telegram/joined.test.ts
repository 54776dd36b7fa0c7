import type { Message, Update } from 'grammy/types'
import { expect, test } from 'vitest'
import { joinParts, nextPrompt, waitMsOf } from '../../../src/bot/telegram/joined.ts'
import { messageUpdate } from './inbox-setup.ts'

const NOW = 1_800_000_000

test('a text that the client cut is one prompt under the first message, its end glued where there was no space', () => {
  const [one, two, three] = ['a'.repeat(4096), 'b'.repeat(4050), 'the end']
  const joined = join(message(1, one), [message(2, two), message(3, three)])

  expect(joined.parts).toHaveLength(3)
  expect(joined.message?.message_id).toBe(1)
  expect(joined.message?.text).toBe(`${one}${two}\n${three}`)
})

test('a text that the client cut keeps the marks of every part where they were', () => {
  const first = { type: 'code', offset: 0, length: 1 } as const
  const second = { type: 'url', offset: 2, length: 3 } as const
  const text = 'a'.repeat(4000)
  const joined = join(message(1, text, { entities: [first] }), [
    message(2, 'b a.b', { entities: [second] }),
  ])

  expect(joined.message?.entities).toEqual([first, { ...second, offset: 4003 }])
})

test.each<[string, Update, Update]>([
  ['a short text', message(1, 'a'.repeat(3999)), message(2, 'next')],
  ['a command', message(1, 'a'.repeat(4096)), message(2, '/new')],
  ['a photo', message(1, 'a'.repeat(4096)), { update_id: 2, message: photo() }],
])('a text is not joined with the next one where there is %s', (_what, first, next) => {
  expect(join(first, [next])).toMatchObject({ message: first.message, count: 1 })
})

const forward = (id: number, extra: Partial<Message> = {}) =>
  message(id, `forward ${id}`, {
    forward_origin: { type: 'hidden_user', date: 1, sender_user_name: 'Vera' },
    ...extra,
  })

test('a forward is one prompt with the comment before it, and so are several', () => {
  const joined = join(message(1, 'What is this?'), [forward(2), forward(3)])

  expect(joined.parts).toHaveLength(3)
  expect(joined.message?.text).toBe('What is this?\n\nforward 2\n\nforward 3')
})

test('a forward that begins with a slash is one prompt with its comment, and no command of it', () => {
  const command = { type: 'bot_command', offset: 0, length: 4 } as const
  const written = { text: '/new is what you want', entities: [command] }
  const bare = { update_id: 1, message: { ...photo(), message_id: 1 } } as Update

  const commented = join(message(1, 'What does it do?'), [forward(2, written)])
  const pictured = join(bare, [forward(2, written)])

  expect(commented.message?.text).toBe('What does it do?\n\n/new is what you want')
  expect(pictured.message).toMatchObject({ caption: '/new is what you want' })
  expect(pictured.message?.caption_entities).toBeUndefined()
  expect(waitMsOf(forward(1, written))).toBe(200)
})

test.each<[string, Update, number]>([
  ['a text that the client may have cut', message(1, 'a'.repeat(4000)), 1000],
  ['a part of an album', { update_id: 1, message: { ...photo(), media_group_id: 'a' } }, 500],
  ['a text, which may be a comment', message(1, 'What is this?'), 200],
  ['a forward, after which another may come', forward(1), 200],
  ['a command', message(1, '/help'), 0],
  ['a command in a caption', { update_id: 1, message: { ...photo(), caption: '/video' } }, 0],
  ['an edit', { update_id: 1, edited_message: edited() }, 0],
])('%s waits for more of its prompt as long as that may be on its way', (_what, update, waitMs) => {
  expect(waitMsOf(update)).toBe(waitMs)
})

const part = (id: number, extra: Partial<Message> = {}) => {
  const album = { ...photo(), message_id: id, media_group_id: 'album', ...extra }
  return { update_id: id, message: album } as Update
}

test('an album is one prompt under its first picture, with the words of all captions and their marks', () => {
  const bold = { type: 'bold', offset: 0, length: 2 } as const
  const joined = join(part(1), [
    part(2, { caption: 'two' }),
    part(3, { caption: 'three', caption_entities: [bold] }),
  ])

  expect(joined.parts).toHaveLength(3)
  expect(joined.message).toMatchObject({
    message_id: 1,
    caption: 'two\n\nthree',
    caption_entities: [{ ...bold, offset: 5 }],
  })
})

test('a prompt is complete when its last part has waited, when another message follows, or after five seconds', () => {
  const first = { update: message(1, 'a'.repeat(4096)), arrivedMs: 0 }
  const last = { update: message(2, 'the end'), arrivedMs: 900 }
  const other = { update: message(3, 'Another'), arrivedMs: 910 }
  const many = Array.from({ length: 11 }, (_, index) => ({
    update: message(index + 1, 'a'.repeat(4096)),
    arrivedMs: index * 500,
  }))
  const waitMs = (waiting: typeof many, nowMs: number) => {
    const [head = first, ...next] = waiting
    return nextPrompt([head, ...next], nowMs).waitMs
  }

  expect(waitMs([first], 300)).toBe(700)
  expect(waitMs([first, last], 900)).toBe(200)
  expect(waitMs([first, last, other], 910)).toBe(0)
  expect(waitMs(many, 5000)).toBe(0)
})

function join(first: Update, next: Update[]) {
  const [head, ...others] = [first, ...next].map((update) => ({ update, arrivedMs: 0 }))
  if (head === undefined) throw new TypeError('Cannot join: there is no update')
  const { parts, count } = nextPrompt([head, ...others], 0)
  return { message: joinParts(parts), parts, count }
}

function message(id: number, text: string, extra: Partial<Message> = {}): Update {
  const update = messageUpdate(id, text, { date: NOW })
  return { ...update, message: { ...update.message, ...extra } as Update['message'] & object }
}

function photo(): Update['message'] & object {
  const { text: _text, ...rest } = message(2, '').message ?? {}
  return { ...rest, photo: [] } as unknown as Update['message'] & object
}

function edited(): Update['edited_message'] & object {
  return { ...message(2, 'next').message, edit_date: NOW } as Update['edited_message'] & object
}
