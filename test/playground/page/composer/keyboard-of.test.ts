import type {
  ForceReply,
  Message,
  ReplyKeyboardMarkup,
  ReplyKeyboardRemove,
  User,
} from 'grammy/types'
import { expect, test } from 'vitest'
import { fieldMarkupOf } from '../../../../src/playground/page/composer/field/keyboard-of.ts'
import type { WireMessage } from '../../../../src/playground/web/api.ts'

const ADA: User = { id: 1, is_bot: false, first_name: 'Ada', username: 'ada' }
const BOT: User = { id: 7, is_bot: true, first_name: 'Kopeck' }

type Markup = ReplyKeyboardMarkup | ReplyKeyboardRemove | ForceReply

function say(id: number, from: User, keyboard?: Markup, more: Partial<Message> = {}): WireMessage {
  const chat = { id: -5, type: 'group' as const, title: 'Team' }
  const message = { message_id: id, from, chat, date: 0, text: 'Hi', ...more } as Message
  return { message, reactions: [], ...(keyboard !== undefined && { keyboard }) }
}

const YES_NO: ReplyKeyboardMarkup = { keyboard: [['Yes', 'No']] }

test('The last keyboard stands until it is removed', () => {
  const shown = [say(1, BOT, YES_NO), say(2, ADA), say(3, BOT)]

  expect(fieldMarkupOf(shown, ADA)?.keyboard).toEqual(YES_NO)
  expect(fieldMarkupOf([...shown, say(4, BOT, { remove_keyboard: true })], ADA)).toBeUndefined()
})

test('A keyboard for one time is used by the next own message, and stays at hand', () => {
  const once = { ...YES_NO, one_time_keyboard: true }

  expect(fieldMarkupOf([say(1, BOT, once)], ADA)?.isUsed).toBe(false)
  expect(fieldMarkupOf([say(1, BOT, once), say(2, ADA)], ADA)).toMatchObject({
    keyboard: once,
    isUsed: true,
  })
})

test('ForceReply asks until it is answered', () => {
  const asked = say(1, BOT, { force_reply: true, input_field_placeholder: 'Your name' })

  expect(fieldMarkupOf([asked], ADA)).toMatchObject({
    forceReply: asked,
    placeholder: 'Your name',
  })
  expect(fieldMarkupOf([asked, say(2, ADA)], ADA)).toBeUndefined()
})

test('A selective markup is for those whom its message answers or names', () => {
  const selective = { ...YES_NO, selective: true }
  const named = { text: '@Ada', entities: [{ type: 'mention' as const, offset: 0, length: 4 }] }
  const answered = { reply_to_message: say(1, ADA).message } as Partial<Message>

  expect(fieldMarkupOf([say(2, BOT, selective)], ADA)).toBeUndefined()
  expect(fieldMarkupOf([say(2, BOT, selective, named)], ADA)?.keyboard).toEqual(selective)
  expect(fieldMarkupOf([say(2, BOT, selective, answered)], ADA)?.keyboard).toEqual(selective)
})
