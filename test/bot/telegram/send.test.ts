import { describe, expect, onTestFinished, test } from 'vitest'
import { createTelegramApi } from '../../../src/bot/telegram/api.ts'
import { createOutbox } from '../../../src/bot/telegram/send.ts'
import { sendPictured } from '../../../src/bot/telegram/shortcuts.ts'
import { createPlayground } from '../../../src/playground/playground.ts'
import { pngOf } from '../../media-files.ts'
import { findFreePort } from '../../platform/http/free-port.ts'
import { ANNA, BORIS, createOutboxSetup } from './outbox-setup.ts'

describe('send()', () => {
  test('sends plain text without a link preview, to its topic and with its keyboard', async () => {
    const { outbox, playground, callsOf } = await createOutboxSetup()
    const keyboard = { inline_keyboard: [[{ text: 'Again', callback_data: 'again' }]] }

    const sent = await outbox.send({
      chatId: ANNA,
      text: 'See https://example.com *now*',
      keyboard,
    })

    const [message] = playground.transcript(ANNA)
    expect(message).toMatchObject({ id: sent.messageId, replyMarkup: keyboard })
    expect(message?.text).toBe('See https://example.com *now*')
    expect(callsOf('sendMessage')[0]?.params.link_preview_options).toBe('{"is_disabled":true}')
  })

  test('waits as long as a 429 says, while other chats go on', async () => {
    const { outbox, playground, clock, shown } = await createOutboxSetup()
    playground.fault({ kind: '429', retryAfter: 90, method: 'sendMessage' })
    const sending = outbox.send({ chatId: ANNA, text: 'late' })
    await clock.untilAsleep()

    await outbox.send({ chatId: BORIS, text: 'at once' })
    clock.advance(89_999)
    await outbox.send({ chatId: BORIS, text: 'still' })
    expect(shown(ANNA)).toEqual([])
    clock.advance(1)
    await sending

    expect(shown(ANNA)).toEqual(['late'])
    expect(shown(BORIS)).toEqual(['at once', 'still'])
  })

  test('repeats until Telegram can be reached when no connection came about', async () => {
    const { clock } = await createOutboxSetup()
    const port = Number(await findFreePort())
    const late = createPlayground({ port, flood: 'off' })
    onTestFinished(() => late.close())
    late.addUser({ id: ANNA, firstName: 'Anna' })
    const apiRoot = `http://127.0.0.1:${port}`
    const toLate = createOutbox({ api: createTelegramApi({ token: late.token, apiRoot }), clock })

    const sending = toLate.send({ chatId: ANNA, text: 'at last' })
    await clock.untilAsleep()
    await late.listen()
    clock.advance(1000)
    await sending

    expect(late.transcript(ANNA).map(({ text }) => text)).toEqual(['at last'])
  })

  test('goes to the chat itself where its topic was deleted', async () => {
    const { outbox, playground, callsOf } = await createOutboxSetup()
    const chatId = -1_000_000_000_505
    playground.addGroup({ id: chatId, title: 'Foxes', members: [ANNA], isForum: true })
    const threadId = playground.addTopic(chatId, 'Videos')
    playground.deletesTopic(chatId, threadId)

    const { messageId } = await outbox.send({ chatId, threadId, text: 'a' })

    expect(playground.transcript(chatId)).toMatchObject([{ id: messageId, text: 'a' }])
    expect(callsOf('sendMessage').map(({ status }) => status)).toEqual([400, 200])
  })

  test('says that a chat cannot be reached', async () => {
    const { outbox, playground } = await createOutboxSetup()
    playground.blocks(ANNA)
    playground.deactivates(BORIS)

    for (const chatId of [ANNA, BORIS, 999]) {
      const sending = outbox.send({ chatId, text: 'Hello' })
      await expect(sending).rejects.toMatchObject({ code: 'chat_unreachable' })
    }
  })

  test('throws errors that hold neither the text nor the token', async () => {
    const { outbox, playground } = await createOutboxSetup()
    playground.fault({ kind: 'dropBefore', method: 'sendMessage' })
    const unknown = await outbox.send({ chatId: ANNA, text: 'my secret' }).catch((error) => error)
    const refused = await outbox
      .send({ chatId: ANNA, text: `my secret ${'x'.repeat(5000)}` })
      .catch((error) => error)

    expect(refused).toMatchObject({ code: 'call_refused' })
    for (const error of [unknown, refused] as Error[]) {
      const seen = `${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`
      expect(seen).not.toContain('secret')
      expect(seen).not.toContain(playground.token)
    }
  })
})

describe('edit()', () => {
  test('shows the newest text once a second and drops the ones between', async () => {
    const { outbox, clock, callsOf, shown } = await createOutboxSetup()
    const target = await outbox.send({ chatId: ANNA, text: 'a' })
    const edits = ['ab', 'abc', 'abcd'].map((text) => outbox.editInterim(target, text))
    await clock.untilAsleep()
    expect(callsOf('editMessageText')).toHaveLength(0)

    clock.advance(1000)

    expect(await Promise.all(edits)).toEqual(['dropped', 'dropped', 'shown'])
    expect(shown(ANNA)).toEqual(['abcd'])
    expect(callsOf('editMessageText')).toHaveLength(1)
  })

  test('drops interim edits while a chat has to rest, and repeats a final one until it is shown', async () => {
    const { outbox, playground, clock, callsOf, shown } = await createOutboxSetup()
    const target = await outbox.send({ chatId: ANNA, text: 'a' })
    playground.fault({ kind: '429', retryAfter: 30, method: 'editMessageText', times: 2 })
    const interim = outbox.editInterim(target, 'ab')
    await clock.untilAsleep()
    clock.advance(1000)
    expect(await interim).toBe('dropped')
    expect(await outbox.editInterim(target, 'abc')).toBe('dropped')

    const final = outbox.edit(target, 'abcd')
    await clock.untilAsleep()
    clock.advance(30_000)
    await playground.waitFor(() => callsOf('editMessageText').length === 2)
    await clock.untilAsleep()
    clock.advance(30_000)

    expect(await final).toBe('shown')
    expect(shown(ANNA)).toEqual(['abcd'])
  })

  test('repeats a final edit after a lost answer and takes "not modified" for success', async () => {
    const { outbox, playground, clock, callsOf, shown } = await createOutboxSetup()
    const target = await outbox.send({ chatId: ANNA, text: 'a' })
    playground.fault({ kind: 'dropAfter', method: 'editMessageText' })
    playground.fault({ kind: '500', method: 'editMessageText' })

    const final = outbox.edit(target, 'ab')
    await clock.untilAsleep()
    clock.advance(1000)
    await playground.waitFor(() => callsOf('editMessageText').length === 2)
    await clock.untilAsleep()
    clock.advance(2000)

    expect(await final).toBe('shown')
    expect(shown(ANNA)).toEqual(['ab'])
    expect(callsOf('editMessageText')).toHaveLength(3)
  })

  test('reports when the message is gone', async () => {
    const { outbox, playground } = await createOutboxSetup()
    const target = await outbox.send({ chatId: ANNA, text: 'a' })
    playground.userDeletes(target)

    expect(await outbox.edit(target, 'ab')).toBe('gone')
  })
})

describe('keepTyping()', () => {
  const THREAD = { chatId: ANNA, threadId: 0 }

  test('shows typing from half a second on, again and again until the text is there', async () => {
    const { outbox, clock, callsOf } = await createOutboxSetup()
    const shown = () => expect.poll(() => callsOf('sendChatAction').length)

    const typing = outbox.keepTyping(THREAD)
    clock.advance(499)
    expect(callsOf('sendChatAction')).toEqual([])
    clock.advance(1)
    await shown().toBe(1)
    await clock.untilAsleep()
    clock.advance(4000)
    await shown().toBe(2)
    await clock.untilAsleep()
    typing.end()
    await clock.run(10_000)

    expect(callsOf('sendChatAction')).toHaveLength(2)
  })
})

describe('typing() and answerButton()', () => {
  test('a button is answered, and an answer that comes too late is no error', async () => {
    const { outbox, playground } = await createOutboxSetup()
    const keyboard = { inline_keyboard: [[{ text: 'Again', callback_data: 'again' }]] }
    const { messageId } = await outbox.send({ chatId: ANNA, text: 'a', keyboard })
    const id = playground.presses({ userId: ANNA, messageId, data: 'again' })

    await outbox.answerButton(id, 'Done')
    await outbox.answerButton('unknown')

    expect(playground.pressed(id)?.answer?.text).toBe('Done')
  })
})

async function createSentStage() {
  const setup = await createOutboxSetup()
  const target = await setup.outbox.send({ chatId: ANNA, text: 'first' })
  return { ...setup, target, statuses }

  function statuses(method: string) {
    return setup.callsOf(method).map(({ status }) => status)
  }
}

test.each(['dropBefore', 'html', 'restart'] as const)(
  'a final edit that met %s is made again; a send is not',
  async (kind) => {
    const { outbox, playground, clock, target, statuses } = await createSentStage()
    playground.fault({ kind, method: 'editMessageText' })
    playground.fault({ kind, method: 'sendMessage' })

    const editing = outbox.edit(target, 'whole')
    await clock.untilAsleep()
    clock.advance(1000)

    expect(await editing).toBe('shown')
    const sending = outbox.send({ chatId: ANNA, text: 'second' })
    await expect(sending).rejects.toMatchObject({ code: 'outcome_unknown' })
    expect(statuses('sendMessage')).toHaveLength(2)
    expect(playground.transcript(ANNA)[0]?.text).toBe('whole')
  },
)

const picture = pngOf({ width: 640, height: 480 })
const bold = [{ type: 'bold', offset: 0, length: 4 }] as const
const keyboard = { inline_keyboard: [[{ text: 'Less', callback_data: 'less' }]] }

test('a text with a picture is its caption, with its formatting and buttons', async () => {
  const { outbox, playground } = await createOutboxSetup()

  await sendPictured(outbox, {
    chatId: ANNA,
    text: 'Your spend',
    entities: [...bold],
    keyboard,
    picture,
  })

  const messages = playground.transcript(ANNA)
  expect(messages).toHaveLength(1)
  expect(messages[0]).toMatchObject({ caption: 'Your spend', photo: {}, replyMarkup: keyboard })
  expect(messages[0]?.entities).toEqual(bold)
})

test('a text that is too long for a caption goes before its picture', async () => {
  const { outbox, playground } = await createOutboxSetup()
  const text = 'ё'.repeat(1025)

  await sendPictured(outbox, { chatId: ANNA, text, picture })

  const [first, second] = playground.transcript(ANNA)
  expect(first?.text).toBe(text)
  expect(second?.photo).toBeDefined()
})

test.each([
  ['there is none', undefined],
  ['Telegram refuses it', new Uint8Array([1, 2, 3])],
])('a text goes without its picture where %s', async (_, given) => {
  const { outbox, playground } = await createOutboxSetup()

  await sendPictured(outbox, { chatId: ANNA, text: 'Your spend', picture: given })

  expect(playground.transcript(ANNA).map(({ text }) => text)).toEqual(['Your spend'])
})
