import type { Message } from 'grammy/types'
import { expect, test } from 'vitest'
import { readPicture } from '../../../../src/bot/media/picture/read-picture.ts'

const SMALL = { file_id: 's', file_unique_id: 'us', width: 90, height: 60, file_size: 900 }
const LARGE = { file_id: 'l', file_unique_id: 'ul', width: 1280, height: 853, file_size: 90_000 }
const PHOTO = { photo: [SMALL, LARGE] }
const FILE = { document: { file_id: 'd', file_unique_id: 'ud', mime_type: 'image/png' } }
const PDF = { document: { ...FILE.document, mime_type: 'application/pdf' } }
const TEXT = { text: '/video a fox' }

const FROM_PHOTO = {
  type: 'picture',
  fileId: 'l',
  fileUniqueId: 'ul',
  sizeBytes: 90_000,
  width: 1280,
  height: 853,
}
const FROM_FILE = {
  ...FROM_PHOTO,
  fileId: 'd',
  fileUniqueId: 'ud',
  sizeBytes: undefined,
  width: undefined,
  height: undefined,
}

test.each([
  ['a photo in its largest size', { ...PHOTO, caption: '/video' }, FROM_PHOTO],
  ['the photo that a text answers', { ...TEXT, reply_to_message: PHOTO }, FROM_PHOTO],
  ['the photo of another chat', { ...TEXT, external_reply: PHOTO }, FROM_PHOTO],
  ['a picture sent as a file', { ...FILE, caption: '/video' }, FROM_FILE],
  ['the own photo first', { ...PHOTO, reply_to_message: FILE }, FROM_PHOTO],
  [
    'one photo of an album that is answered',
    { ...TEXT, reply_to_message: { ...PHOTO, media_group_id: '1' } },
    FROM_PHOTO,
  ],
  ['no one of an album', { ...PHOTO, media_group_id: '1' }, { type: 'one_of_several' }],
  ['no other file', { ...PDF, caption: '/video' }, { type: 'not_a_picture' }],
  ['nothing in a text', TEXT, undefined],
  ['nothing in a text that answers another', { ...TEXT, reply_to_message: TEXT }, undefined],
  ['nothing in a text that answers another file', { ...TEXT, reply_to_message: PDF }, undefined],
])('readPicture() finds %s', (_, message, found) => {
  expect(readPicture(message as unknown as Message)).toEqual(found)
})
