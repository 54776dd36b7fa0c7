import type { Message, MessageEntity } from 'grammy/types'
import { describe, expect, test } from 'vitest'
import { readAddress, saysStop, withoutMentions } from '../../../src/bot/telegram/addressing.ts'
import { createTexts } from '../../../src/bot/texts/texts.ts'
import { findEntities } from '../../../src/playground/content/entities.ts'

const texts = createTexts()
const ME = { id: 7, username: 'Kopeck_bot' }
const BOT = { id: 7, is_bot: true, first_name: 'Kopeck' }
const ANNA = { id: 101, is_bot: false, first_name: 'Anna' }

describe('readAddress()', () => {
  test.each([
    ['/help@kopeck_BOT', 'command'],
    ['/help', 'bare_command'],
    ['/help@another_bot', undefined],
    ['@kopeck_bot hello', 'mention'],
    ['hello (@Kopeck_bot)', 'mention'],
    ['mail me at anna@kopeck_bot', undefined],
    ['look at https://example.org/@kopeck_bot', undefined],
  ])('"%s" is %s', (text, address) => {
    expect(readAddress(messageOf(text), ME)).toBe(address)
  })

  test('letters that nobody marked as a mention are none', () => {
    expect(readAddress({ ...messageOf('@kopeck_bot'), entities: [] }, ME)).toBeUndefined()
  })

  test('a name without a username counts by its id', () => {
    const entity = { type: 'text_mention' as const, offset: 0, length: 6 }

    expect(readAddress(messageOf('Kopeck hi', [{ ...entity, user: BOT }]), ME)).toBe('mention')
    expect(readAddress(messageOf('Kopeck hi', [{ ...entity, user: ANNA }]), ME)).toBeUndefined()
  })

  test('a reply counts when it is to the bot, and not to the opening of a topic', () => {
    const original = { ...messageOf('An answer.'), from: BOT, reply_to_message: undefined }
    const opening = { ...original, forum_topic_created: { name: 'Cats', icon_color: 0 as never } }

    expect(readAddress(messageOf('why?', [], original), ME)).toBe('reply')
    expect(readAddress(messageOf('why?', [], { ...original, from: ANNA }), ME)).toBeUndefined()
    expect(readAddress(messageOf('hello', [], opening), ME)).toBeUndefined()
  })
})

test.each([
  ['@Kopeck_bot what is this?', 'what is this?'],
  ['what is this, @Kopeck_bot?', 'what is this?'],
  ['what is @Kopeck_bot this', 'what is this'],
  ['@Kopeck_bot\n\n  code()', 'code()'],
  ['👍 @Kopeck_bot 👍 @Kopeck_bot ok', '👍 👍 ok'],
  ['ask @anna about @Kopeck_bots', 'ask @anna about @Kopeck_bots'],
])('"%s" asks "%s"', (text, question) => {
  expect(withoutMentions(messageOf(text), ME)).toBe(question)
})

test.each([
  ['en', 'stop'],
  ['ru', 'стоп'],
  ['ru', 'Стоп, пожалуйста'],
  ['ru', '«Хватит!»'],
])('in %s "%s" says nothing but stop', (language, text) => {
  expect(saysStop(text, texts.t(language, 'stop-words'))).toBe(true)
})

test.each([
  ['en', 'stop the war'],
  ['en', 'стоп'],
  ['ru', 'стоп-кран'],
  ['ru', 'Что значит «стоп»?'],
])('in %s "%s" says something else', (language, text) => {
  expect(saysStop(text, texts.t(language, 'stop-words'))).toBe(false)
})

function messageOf(
  text: string,
  entities: MessageEntity[] = findEntities(text),
  original?: object,
): Message & { text: string } {
  const chat = { id: -5, type: 'group' as const, title: 'Friends' }
  const reply = original && { reply_to_message: original as never }
  return { message_id: 1, date: 1, chat, from: ANNA, text, entities, ...reply } as Message & {
    text: string
  }
}
