import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { InputFile } from 'grammy'
import { expect, onTestFinished, test } from 'vitest'
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
  const bytes = Buffer.from('a video')

  const message = await api.sendVideo(5, new InputFile(bytes, 'video.mp4'), {
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
    video: { file_name: 'video.mp4', mime_type: 'video/mp4', width: 10_000, file_size: 7 },
  })
  expect(file.file_path).toMatch(/^videos\/file_.*\.mp4$/)
  expect(Buffer.from(await download.arrayBuffer())).toEqual(bytes)
  expect(playground.transcript(5)[0]?.video).toMatchObject({ bytes, supportsStreaming: true })
  const [call] = playground.calls
  expect(call?.files).toMatchObject([{ fileName: 'video.mp4', size: 7 }])
})

test('a file id sends the same file again, under a new id', async () => {
  const { api, refusalOf } = await openPlayground()
  const first = await api.sendVideo(5, new InputFile(Buffer.from('video'), 'video.mp4'))

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

test('an album is sent whole or not at all, and its messages belong together', async () => {
  const { api, playground } = await openPlayground()
  const video = () => new InputFile(Buffer.from('video'), 'video.mp4')
  const picture = () => new InputFile(PIXEL, 'pixel.png')

  const sent = await api.sendMediaGroup(5, [
    { type: 'photo', media: picture(), caption: 'Two' },
    { type: 'video', media: video() },
  ])
  const broken = api.sendMediaGroup(5, [
    { type: 'video', media: video() },
    { type: 'photo', media: new InputFile(Buffer.from('text'), 'a.png') },
  ])

  await expect(broken).rejects.toThrow(
    'failed to send message #2 with the error message "IMAGE_PROCESS_FAILED"',
  )
  const [first, second, ...rest] = playground.transcript(5)
  expect(rest).toEqual([])
  expect(first).toMatchObject({ caption: 'Two', photo: { width: 1 } })
  expect(second?.video).toMatchObject({ fileName: 'video.mp4' })
  expect(second?.mediaGroupId).toBe(first?.mediaGroupId)
  expect(sent).toMatchObject([{ photo: [{ width: 1 }] }, { media_group_id: first?.mediaGroupId }])
})

test('a video by URL is fetched for real', async () => {
  const { api, playground } = await openPlayground()
  const bytes = Buffer.alloc(20 * MIB, 1)
  const host = await openFileHost({ 'video.mp4': { type: 'video/mp4', bytes } })

  await api.sendVideo(5, `${host}/video.mp4`)

  const video = playground.transcript(5)[0]?.video
  expect(video).toMatchObject({ size: 20 * MIB, fileName: 'video.mp4' })
  expect(video?.bytes?.equals(bytes)).toBe(true)
})

test('a body over 50 MiB is 413, a file over 20 MiB cannot be downloaded', async () => {
  const { api, playground } = await openPlayground()
  const oversized = new InputFile(Buffer.alloc(51 * MIB), 'video.mp4')
  const large = new InputFile(Buffer.alloc(21 * MIB), 'video.mp4')

  await expect(api.sendVideo(5, oversized)).rejects.toMatchObject({ error_code: 413 })
  const { video } = await api.sendVideo(5, large)

  await expect(api.getFile(video.file_id)).rejects.toThrow('file is too big')
  await expect(api.getFile('nothing')).rejects.toThrow('invalid file_id')
  expect(playground.transcript(5)).toHaveLength(1)
})
