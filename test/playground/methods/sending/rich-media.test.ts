import { InputFile } from 'grammy'
import { expect, test } from 'vitest'
import { pngOf } from '../../../media-files.ts'
import { openPlayground } from '../../open-playground.ts'

const PICTURE = pngOf({ width: 40, height: 30 })

function photoBlock(media: InputFile | string) {
  return { type: 'photo', photo: { type: 'photo', media, has_spoiler: true } } as const
}

test('a block shows the file that came with it, its file id goes into the next message', async () => {
  const { api } = await openPlayground()
  const caption = { text: 'A pixel' }

  const first = await api.sendRichMessage(5, {
    blocks: [
      { ...photoBlock(new InputFile(PICTURE, 'a.png')), caption },
      {
        type: 'document',
        document: { type: 'document', media: new InputFile(Buffer.from('a'), 'a.txt') },
      },
    ],
  })
  const [photo, document] = first.rich_message?.blocks ?? []
  if (photo?.type !== 'photo') throw new Error('the first block is no photo')
  const fileId = photo.photo[0]?.file_id ?? ''
  const second = await api.sendRichMessage(5, { blocks: [photoBlock(fileId)] })

  expect(photo).toMatchObject({ has_spoiler: true, caption, photo: [{ width: 40, height: 30 }] })
  expect(document).toMatchObject({ document: { file_name: 'a.txt', file_size: 1 } })
  expect(second.rich_message?.blocks).toMatchObject([
    { photo: [{ file_unique_id: photo.photo[0]?.file_unique_id }] },
  ])
  expect((await api.getFile(fileId)).file_size).toBe(PICTURE.length)
})

test('an edit to the same file changes nothing', async () => {
  const { api } = await openPlayground()
  const blocks = [photoBlock(new InputFile(PICTURE, 'a.png'))]
  const { message_id, rich_message } = await api.sendRichMessage(5, { blocks })
  const [photo] = rich_message?.blocks ?? []
  const fileId = photo?.type === 'photo' ? (photo.photo[0]?.file_id ?? '') : ''

  const same = api.editMessageText(5, message_id, { blocks: [photoBlock(fileId)] })

  await expect(same).rejects.toThrow('message is not modified')
  const other = { blocks: [photoBlock(new InputFile(PICTURE, 'b.png'))] }
  expect(await api.editMessageText(5, message_id, other)).toHaveProperty('rich_message')
})

test('a draft shows a file that is there, and takes in no new one', async () => {
  const { api, refusalOf, playground } = await openPlayground()
  const { photo } = await api.sendPhoto(5, new InputFile(PICTURE, 'a.png'))
  const draft = (media: string, chat_id = 5) => {
    const rich_message = { blocks: [photoBlock(media)] }
    return refusalOf('sendRichMessageDraft', { chat_id, draft_id: 7, rich_message })
  }

  expect(await draft('https://example.test/a.png')).toBe(
    "Bad Request: new files can't be uploaded using the method",
  )
  expect(await draft('https://example.test/a.png', 6)).toMatch('chat not found')
  expect(await draft(photo.at(-1)?.file_id ?? '')).toBe('ok')
  expect(playground.visibleDraft(5)).toMatchObject({ rich: { blocks: [{ type: 'photo' }] } })
})

test('media that is none is refused', async () => {
  const { refusalOf } = await openPlayground()
  const send = (photo: unknown) => {
    const rich_message = { blocks: [{ type: 'photo', photo }] }
    return refusalOf('sendRichMessage', { chat_id: 5, rich_message })
  }

  expect(await send(undefined)).toMatch(`can't parse InputRichBlock: Can't find field "photo"`)
  expect(await send('a')).toMatch("can't parse InputMedia: expected an Object")
  expect(await send({ type: 'video', media: 'a' })).toMatch('type "video" is unsupported')
  expect(await send({ type: 'photo' })).toMatch('media not found')
  expect(await send({ type: 'photo', media: 'attach://a' })).toMatch('there is no photo')
  expect(await send({ type: 'photo', media: 'http://127.0.0.1:1/a.png' })).toBe(
    'Bad Request: RICH_MESSAGE_PHOTO_NO_MEDIA_FOUND',
  )
  const media = [{ id: 'a', media: { type: 'photo', media: 'a' } }]
  const html = { html: 'a', media }
  expect(await refusalOf('sendRichMessage', { chat_id: 5, rich_message: html })).toMatch(
    'in blocks alone',
  )
})
