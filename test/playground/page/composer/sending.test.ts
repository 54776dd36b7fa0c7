import type { User } from 'grammy/types'
import { expect, test } from 'vitest'
import {
  type Attachment,
  toAlbums,
} from '../../../../src/playground/page/composer/attach/attachment.ts'
import { inOrder } from '../../../../src/playground/page/composer/in-order.ts'
import { mentionsIn } from '../../../../src/playground/page/composer/mentions.ts'

const ADA: User = { id: 1, is_bot: false, first_name: 'Ada' }

function attach(name: string, type: string): Attachment {
  return { id: 0, file: new File(['bytes'], name, { type }), previewUrl: '' }
}

test('Texts of one chat go in the order in which they were written, also after one that failed', async () => {
  const { promise: gate, reject } = Promise.withResolvers<void>()
  const sent: string[] = []

  const first = inOrder('chat', () => gate)
  const second = inOrder('chat', async () => sent.push('second'))
  const elsewhere = inOrder('other', async () => sent.push('elsewhere'))
  await elsewhere
  expect(sent).toEqual(['elsewhere'])
  reject(new Error('refused'))

  await expect(first).rejects.toThrow('refused')
  await second
  expect(sent).toEqual(['elsewhere', 'second'])
})

test('A person without a username is mentioned where their name is left in the text', () => {
  expect(mentionsIn('Ada and Ada', [ADA, ADA])).toEqual([
    { type: 'text_mention', offset: 0, length: 3, user: ADA },
    { type: 'text_mention', offset: 8, length: 3, user: ADA },
  ])
  expect(mentionsIn('Ad was here', [ADA])).toEqual([])
})

test('Pictures and clips make albums of ten together; files stand among themselves', () => {
  const pictures = Array.from({ length: 11 }, () => attach('a.png', 'image/png'))
  const files = [attach('a.pdf', 'application/pdf'), attach('b.txt', 'text/plain')]
  const clip = attach('c.mp4', 'video/mp4')

  const albums = toAlbums([...pictures, clip, ...files], 'media')

  expect(albums.map((album) => album.map(({ kind }) => kind))).toEqual([
    Array.from({ length: 10 }, () => 'photo'),
    ['photo', 'video'],
    ['document', 'document'],
  ])
})

test('A sound goes as music, as a file or as a voice message, which stands alone', () => {
  const sounds = [attach('a.mp3', 'audio/mpeg'), attach('b.mp3', 'audio/mpeg')]
  const kinds = (as: 'media' | 'file' | 'voice') =>
    toAlbums(sounds, as).map((album) => album.map(({ kind }) => kind))

  expect(kinds('media')).toEqual([['audio', 'audio']])
  expect(kinds('file')).toEqual([['document', 'document']])
  expect(kinds('voice')).toEqual([['voice'], ['voice']])
})
