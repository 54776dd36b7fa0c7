import { expect, test } from 'vitest'
import {
  CLIP_BYTES_MAX,
  ClipTooLargeError,
  ClipUnavailableError,
  fetchClip,
  isPublicUrl,
} from '../../../src/bot/media/fetch-clip.ts'
import { startServer } from '../../http/local-server.ts'

const NEVER = new AbortController().signal

test.each([
  ['https://clips.example.com/1.mp4', true],
  ['http://93.184.216.34/1.mp4', true],
  ['http://[2606:2800:220:1::1]/1.mp4', true],
  ['http://localhost:3000/1.mp4', false],
  ['http://clips.localhost/1.mp4', false],
  ['http://service:3000/1.mp4', false],
  ['http://service.internal/1.mp4', false],
  ['http://127.0.0.1:3000/1.mp4', false],
  ['http://127.1/1.mp4', false],
  ['http://0x7f.1/1.mp4', false],
  ['http://10.1.2.3/1.mp4', false],
  ['http://172.20.0.1/1.mp4', false],
  ['http://192.168.1.1/1.mp4', false],
  ['http://169.254.169.254/1.mp4', false],
  ['http://[::1]/1.mp4', false],
  ['http://[::ffff:127.0.0.1]/1.mp4', false],
  ['http://[fd00::1]/1.mp4', false],
  ['ftp://clips.example.com/1.mp4', false],
  ['file:///1.mp4', false],
  ['1.mp4', false],
])('%s is public: %s', (url, isPublic) => {
  expect(isPublicUrl(url)).toBe(isPublic)
})

test('a clip is fetched whole, over a redirect', async () => {
  const { baseUrl } = await startServer((response, { path }) => {
    if (path.endsWith('/moved')) response.writeHead(302, { location: '/clip' }).end()
    else response.end('the bytes')
  })

  const bytes = await fetchClip(`${baseUrl}/moved`, NEVER)

  expect(Buffer.from(bytes).toString()).toBe('the bytes')
})

test('a clip over the bound is refused by its declared length', async () => {
  const { baseUrl } = await startServer((response) => {
    response.writeHead(200, { 'content-length': CLIP_BYTES_MAX + 1 }).flushHeaders()
  })

  await expect(fetchClip(`${baseUrl}/clip`, NEVER)).rejects.toThrow(ClipTooLargeError)
})

test('a clip over the bound is refused as it comes', async () => {
  const piece = Buffer.alloc(4 * 1024 * 1024)
  const { baseUrl } = await startServer((response) => {
    response.on('error', () => {})
    const write = () => {
      while (!response.destroyed && response.write(piece));
      if (!response.destroyed) response.once('drain', write)
    }
    write()
  })

  await expect(fetchClip(`${baseUrl}/clip`, NEVER)).rejects.toThrow(ClipTooLargeError)
})

test.each([
  ['a 404', 404, ''],
  ['an empty answer', 200, ''],
])('%s is no clip', async (_name, status, body) => {
  const { baseUrl } = await startServer((response) => {
    response.writeHead(status).end(body)
  })

  await expect(fetchClip(`${baseUrl}/clip`, NEVER)).rejects.toThrow(ClipUnavailableError)
})

test('a connection cut in the middle is no clip', async () => {
  const { baseUrl } = await startServer((response) => {
    response.writeHead(200, { 'content-length': 1000 })
    response.write('the first', () => response.destroy())
  })

  await expect(fetchClip(`${baseUrl}/clip`, NEVER)).rejects.toThrow(ClipUnavailableError)
})

test('an abort ends the fetch with its own reason', async () => {
  const stopping = new AbortController()
  const { baseUrl } = await startServer(() => stopping.abort(new Error('The process stops')))

  await expect(fetchClip(`${baseUrl}/clip`, stopping.signal)).rejects.toThrow('The process stops')
})
