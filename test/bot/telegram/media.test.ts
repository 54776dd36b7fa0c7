import { describe, expect, test } from 'vitest'
import type { FileSource } from '../../../src/bot/telegram/send.ts'
import { pngOf } from '../../media-files.ts'
import { findFreePort } from '../../platform/http/free-port.ts'
import { ANNA, createOutboxSetup } from './outbox-setup.ts'

const PICTURE = pngOf({ width: 640, height: 480 })
const FORUM = -1_000_000_000_505
const CLIP = new Uint8Array([1, 2, 3])

describe('editToMedia()', () => {
  const facts = { caption: 'A fox', width: 1280, height: 720, durationSeconds: 5 }
  const video = { type: 'video', ...facts } as const

  test('replaces a text with bytes, again after a lost answer', async () => {
    const { outbox, playground, clock } = await createOutboxSetup()
    const target = await outbox.send({ chatId: ANNA, text: 'soon' })
    playground.fault({ kind: 'dropBefore', method: 'editMessageMedia' })
    const bytes = async function* () {
      yield new Uint8Array([1, 2, 3])
    }

    const editing = outbox.editToMedia(target, {
      ...video,
      source: { bytes, fileName: 'fox.mp4' },
    })
    await clock.untilAsleep()
    clock.advance(1000)

    const shown = await editing
    const fileId = playground.transcript(ANNA)[0]?.video?.fileId
    expect(shown).toEqual({ type: 'video', fileId })
    expect(playground.transcript(ANNA)[0]).toMatchObject({
      caption: 'A fox',
      video: { size: 3, width: 1280, height: 720, duration: 5, fileName: 'fox.mp4' },
    })
  })

  test('says when Telegram cannot fetch the link', async () => {
    const { outbox } = await createOutboxSetup()
    const target = await outbox.send({ chatId: ANNA, text: 'soon' })
    const url = `http://127.0.0.1:${await findFreePort()}/fox.mp4`

    const editing = outbox.editToMedia(target, { ...video, source: { url } })

    await expect(editing).rejects.toMatchObject({ code: 'media_refused' })
  })
})

describe('sendMedia()', () => {
  test('sends a file with its facts, and again by its id', async () => {
    const { outbox, playground } = await createOutboxSetup()
    const source: FileSource = { bytes: CLIP, fileName: 'fox.mp4' }
    const file = { type: 'video', source, width: 1280, height: 720, caption: 'A fox' } as const
    const question = await outbox.send({ chatId: ANNA, text: 'a fox' })

    const first = await outbox.sendMedia({ chatId: ANNA, files: [file] })
    const [{ type, fileId } = { type: 'photo', fileId: '' } as const] = first.files
    const again = await outbox.sendMedia({
      chatId: ANNA,
      replyToMessageId: question.messageId,
      files: [{ type, source: { fileId } }],
    })

    const [, sent, second] = playground.transcript(ANNA)
    expect(first).toEqual({
      chatId: ANNA,
      messageIds: [sent?.id],
      files: [{ type: 'video', fileId: sent?.video?.fileId }],
    })
    expect(sent).toMatchObject({ caption: 'A fox', video: { width: 1280, height: 720 } })
    expect(second).toMatchObject({ id: again.messageIds[0], replyToMessageId: question.messageId })
    expect(second?.video?.uniqueId).toBe(sent?.video?.uniqueId)
  })

  test('sends several files as one album', async () => {
    const { outbox, playground } = await createOutboxSetup()

    const sent = await outbox.sendMedia({
      chatId: ANNA,
      files: [
        { type: 'photo', source: { bytes: PICTURE, fileName: 'fox.png' }, caption: 'Foxes' },
        { type: 'video', source: { bytes: CLIP, fileName: 'fox.mp4' } },
      ],
    })

    const [picture, video] = playground.transcript(ANNA)
    expect(picture?.mediaGroupId).toEqual(expect.any(String))
    expect(video?.mediaGroupId).toBe(picture?.mediaGroupId)
    expect(sent.messageIds).toEqual([picture?.id, video?.id])
    expect(sent.files.map(({ type }) => type)).toEqual(['photo', 'video'])
  })

  test.each([
    ['one file', 1],
    ['an album', 2],
  ])('shows %s in the chat itself where its topic was deleted', async (_name, count) => {
    const { outbox, playground } = await createOutboxSetup()
    playground.addGroup({ id: FORUM, title: 'Foxes', members: [ANNA], isForum: true })
    const threadId = playground.addTopic(FORUM, 'Videos')
    playground.deletesTopic(FORUM, threadId)
    const source = { bytes: CLIP, fileName: 'fox.mp4' }
    const files = Array.from({ length: count }, () => ({ type: 'video', source }) as const)

    const sent = await outbox.sendMedia({ chatId: FORUM, threadId, files })

    const messages = playground.transcript(FORUM)
    expect(messages.map(({ id }) => id)).toEqual(sent.messageIds)
    expect(messages.map((message) => message.threadId)).toEqual(Array(count).fill(undefined))
  })

  test.each(['sendVideo', 'sendMediaGroup'])(
    'never repeats what may have been sent: %s',
    async (method) => {
      const { outbox, playground, callsOf } = await createOutboxSetup()
      playground.fault({ kind: 'dropAfter', method })
      const file = { type: 'video', source: { bytes: CLIP, fileName: 'fox.mp4' } } as const
      const files = method === 'sendVideo' ? [file] : [file, file]

      const sending = outbox.sendMedia({ chatId: ANNA, files })

      await expect(sending).rejects.toMatchObject({ code: 'outcome_unknown' })
      expect(callsOf(method)).toHaveLength(1)
    },
  )

  test('reports each attempt before it is made, and of one that surely sent nothing', async () => {
    const { outbox, playground, clock } = await createOutboxSetup()
    playground.fault({ kind: '429', retryAfter: 5, method: 'sendVideo' })
    const called: string[] = []
    const record = (word: string) => async () => void called.push(word)
    const files = [{ type: 'video', source: { bytes: CLIP, fileName: 'fox.mp4' } }] as const

    const sending = outbox.sendMedia(
      { chatId: ANNA, files },
      { onAttempt: record('attempt'), onNothingSent: record('nothing sent') },
    )
    await clock.untilAsleep()
    clock.advance(5_000)
    await sending

    expect(called).toEqual(['attempt', 'nothing sent', 'attempt'])
  })
})
