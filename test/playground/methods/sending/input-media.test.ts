import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { InputFile } from 'grammy'
import { expect, onTestFinished, test } from 'vitest'
import { pngOf } from '../../../media-files.ts'
import { openPlayground } from '../../open-playground.ts'

const MIB = 1024 * 1024
/** The smallest PNG: one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** Serves `/<name>` from a table of bodies with their types. */
async function openFileHost(files: Record<string, { type: string; bytes: Buffer }>) {
  const server = createServer((request, response) => {
    const file = files[request.url?.slice(1) ?? '']
    if (file === undefined) return response.writeHead(404).end()
    return response.writeHead(200, { 'content-type': file.type }).end(file.bytes)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('an uploaded video is kept with its facts and can be downloaded', async () => {
  const { api, apiRoot, playground } = await openPlayground()
  const bytes = Buffer.from('a clip')

  const message = await api.sendVideo(5, new InputFile(bytes, 'clip.mp4'), {
    caption: 'Done',
    width: 99_999,
    height: 720,
    duration: 5,
    supports_streaming: true,
  })
  const file = await api.getFile(message.video.file_id)
  const download = await fetch(`${apiRoot}/file/bot${playground.token}/${file.file_path}`)

  expect(message).toMatchObject({
    caption: 'Done',
    video: { file_name: 'clip.mp4', mime_type: 'video/mp4', width: 10_000, file_size: 6 },
  })
  expect(file.file_path).toMatch(/^videos\/file_.*\.mp4$/)
  expect(Buffer.from(await download.arrayBuffer())).toEqual(bytes)
  expect(playground.transcript(5)[0]?.video).toMatchObject({ bytes, supportsStreaming: true })
  const [call] = playground.calls
  expect(call?.files).toMatchObject([{ fileName: 'clip.mp4', size: 6 }])
})

test('a file id sends the same file again, under a new id', async () => {
  const { api, refusalOf } = await openPlayground()
  const first = await api.sendVideo(5, new InputFile(Buffer.from('clip'), 'clip.mp4'))

  const second = await api.sendVideo(5, first.video.file_id)

  expect(second.video.file_unique_id).toBe(first.video.file_unique_id)
  expect(second.video.file_id).not.toBe(first.video.file_id)
  const send = (video: string) => refusalOf('sendVideo', { chat_id: 5, video })
  expect(await send('not base64!')).toBe(
    'Bad Request: wrong remote file identifier specified: Wrong padding in the string',
  )
  expect(await send('AAAA')).toBe('Bad Request: wrong file identifier/HTTP URL specified')
  expect(await send('')).toBe('Bad Request: there is no video in the request')
})

test('a photo keeps its size and is no video', async () => {
  const { api, refusalOf } = await openPlayground()

  const { photo } = await api.sendPhoto(5, new InputFile(PIXEL, 'pixel.png'))

  expect(photo).toMatchObject([{ width: 1, height: 1 }])
  expect(await refusalOf('sendVideo', { chat_id: 5, video: photo[0]?.file_id })).toBe(
    "Bad Request: can't use file of type Photo as Video",
  )
  await expect(api.sendPhoto(5, new InputFile(Buffer.from('text'), 'a.png'))).rejects.toThrow(
    'IMAGE_PROCESS_FAILED',
  )
})

test('documents and audio are sent as what they are', async () => {
  const { api, playground } = await openPlayground()

  await api.sendDocument(5, new InputFile(Buffer.from('a,b'), 'report.csv'))
  await api.sendAudio(5, new InputFile(Buffer.from('song'), 'song.mp3'), { title: 'Rain' })

  const [report, song] = playground.transcript(5)
  expect(report?.document).toMatchObject({ fileName: 'report.csv', mime: 'text/csv' })
  expect(song?.audio).toMatchObject({ fileName: 'song.mp3', mime: 'audio/mpeg' })
})

test('an audio is MP3 or M4A, and a photo has bounded sides', async () => {
  const { api } = await openPlayground()
  const photo = (width: number, height: number) =>
    api.sendPhoto(5, new InputFile(pngOf({ width, height }), 'a.png'))

  await expect(api.sendAudio(5, new InputFile(Buffer.from('song'), 'a.wav'))).rejects.toThrow(
    'AUDIO_EXT_INVALID',
  )
  await api.sendAudio(5, new InputFile(Buffer.from('song'), 'a.m4a'))
  await photo(5_000, 5_000)
  await photo(2_000, 100)
  await expect(photo(5_001, 5_000)).rejects.toThrow('PHOTO_INVALID_DIMENSIONS')
  await expect(photo(2_001, 100)).rejects.toThrow('PHOTO_INVALID_DIMENSIONS')
})

test('an album is sent whole or not at all, and its messages belong together', async () => {
  const { api, playground } = await openPlayground()
  const clip = () => new InputFile(Buffer.from('clip'), 'clip.mp4')
  const picture = () => new InputFile(PIXEL, 'pixel.png')

  const sent = await api.sendMediaGroup(5, [
    { type: 'photo', media: picture(), caption: 'Two' },
    { type: 'video', media: clip() },
  ])
  const broken = api.sendMediaGroup(5, [
    { type: 'video', media: clip() },
    { type: 'photo', media: new InputFile(Buffer.from('text'), 'a.png') },
  ])

  await expect(broken).rejects.toThrow(
    'failed to send message #2 with the error message "IMAGE_PROCESS_FAILED"',
  )
  const [first, second, ...rest] = playground.transcript(5)
  expect(rest).toEqual([])
  expect(first).toMatchObject({ caption: 'Two', photo: { width: 1 } })
  expect(second?.video).toMatchObject({ fileName: 'clip.mp4' })
  expect(second?.mediaGroupId).toBe(first?.mediaGroupId)
  expect(sent).toMatchObject([{ photo: [{ width: 1 }] }, { media_group_id: first?.mediaGroupId }])
})

test('an album has two to ten files that may stand together', async () => {
  const { refusalOf } = await openPlayground()
  const send = (types: string[]) => {
    const media = types.map((type) => ({ type, media: 'AAAA' }))
    return refusalOf('sendMediaGroup', { chat_id: 5, media })
  }

  expect(await send(['photo'])).toBe('Bad Request: there are no messages to send')
  expect(await send(Array(11).fill('photo'))).toBe(
    'Bad Request: too many messages to send as an album',
  )
  expect(await send(['audio', 'photo'])).toBe(
    "Bad Request: audio can't be mixed with other media types",
  )
  expect(await send(['video', 'document'])).toBe(
    "Bad Request: document can't be mixed with other media types",
  )
})

test('a video by URL is fetched for real', async () => {
  const { api, playground } = await openPlayground()
  const bytes = Buffer.alloc(20 * MIB, 1)
  const host = await openFileHost({ 'clip.mp4': { type: 'video/mp4', bytes } })

  await api.sendVideo(5, `${host}/clip.mp4`)

  const video = playground.transcript(5)[0]?.video
  expect(video).toMatchObject({ size: 20 * MIB, fileName: 'clip.mp4' })
  expect(video?.bytes?.equals(bytes)).toBe(true)
})

test('a URL is refused for its size, its type, its absence and its form', async () => {
  const { refusalOf, playground } = await openPlayground()
  const host = await openFileHost({
    'large.mp4': { type: 'video/mp4', bytes: Buffer.alloc(21 * MIB) },
    'page.html': { type: 'text/html', bytes: Buffer.from('<html>') },
  })
  const send = (video: string) => refusalOf('sendVideo', { chat_id: 5, video })

  const failed = 'Bad Request: failed to get HTTP URL content'
  expect(await send(`${host}/large.mp4`)).toBe(failed)
  expect(await send(`${host}/missing.mp4`)).toBe(failed)
  expect(await send('http://127.0.0.1:1/closed.mp4')).toBe(failed)
  expect(await send(`${host}/page.html`)).toBe('Bad Request: wrong type of the web page content')
  expect(await send('http://:80/a.mp4')).toBe('Bad Request: wrong HTTP URL specified')
  expect(await send('ftp://host/a.mp4')).toBe('Bad Request: wrong HTTP URL specified')
  expect(playground.transcript(5)).toHaveLength(0)
})

test('a body over 50 MiB is 413, a file over 20 MiB cannot be downloaded', async () => {
  const { api, playground } = await openPlayground()
  const oversized = new InputFile(Buffer.alloc(51 * MIB), 'clip.mp4')
  const large = new InputFile(Buffer.alloc(21 * MIB), 'clip.mp4')

  await expect(api.sendVideo(5, oversized)).rejects.toMatchObject({ error_code: 413 })
  const { video } = await api.sendVideo(5, large)

  await expect(api.getFile(video.file_id)).rejects.toThrow('file is too big')
  await expect(api.getFile('nothing')).rejects.toThrow('invalid file_id')
  expect(playground.transcript(5)).toHaveLength(1)
})

test('a caption is bounded and an empty file refused', async () => {
  const { api } = await openPlayground()
  const clip = () => new InputFile(Buffer.from('clip'), 'clip.mp4')
  const send = (caption: string) => api.sendVideo(5, clip(), { caption })

  await send('😀'.repeat(1024))
  await expect(send('a'.repeat(1025))).rejects.toThrow('message caption is too long')
  await expect(api.sendVideo(5, new InputFile(Buffer.alloc(0), 'a.mp4'))).rejects.toThrow(
    'file must be non-empty',
  )
})

test('a file from a person can be downloaded by the bot', async () => {
  const { api, apiRoot, playground } = await openPlayground()
  playground.userSends({ userId: 5, photo: { bytes: PIXEL }, caption: 'look' })

  const [update] = await api.getUpdates()
  const photo = update?.message?.photo?.[0]
  const { file_path } = await api.getFile(photo?.file_id ?? '')
  const download = await fetch(`${apiRoot}/file/bot${playground.token}/${file_path}`)

  expect(update?.message?.caption).toBe('look')
  expect(Buffer.from(await download.arrayBuffer())).toEqual(PIXEL)
})

test('a restricted bot is refused what it may not send', async () => {
  const { refusalOf, playground } = await openPlayground()
  playground.addGroup({ id: -20, title: 'Team', members: [5], botStatus: 'restricted' })

  expect(await refusalOf('sendAudio', { chat_id: -20, audio: 'AAAA' })).toBe(
    'Bad Request: not enough rights to send music to the chat',
  )
})
