import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { filesRoute } from '../../../src/service/http/files.ts'

const NAME = `${'0a'.repeat(20)}.mp4`
const app = Fastify()

let parentDir: string
let root: string

beforeAll(async () => {
  parentDir = await mkdtemp(join(tmpdir(), 'kopeck-files-'))
  const mediaDir = join(parentDir, 'media')
  await mkdir(mediaDir)
  await writeFile(join(mediaDir, NAME), '0123456789')
  await writeFile(join(mediaDir, `.${NAME}.part`), 'half')
  await writeFile(join(mediaDir, 'notes.txt'), 'ours')
  await writeFile(join(parentDir, 'secret.mp4'), 'secret')
  await app.register(filesRoute(mediaDir))
  root = await app.listen({ port: 0, host: '127.0.0.1' })
})

afterAll(async () => {
  await app.close()
  await rm(parentDir, { recursive: true })
})

test('GET /files/:name serves the whole video, to be kept for good', async () => {
  const response = await fetch(`${root}/files/${NAME}`)

  expect(response.status).toBe(200)
  expect(await response.text()).toBe('0123456789')
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'video/mp4',
    'content-length': '10',
    'accept-ranges': 'bytes',
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
  })
})

test('HEAD /files/:name has the size without the video', async () => {
  const response = await fetch(`${root}/files/${NAME}`, { method: 'HEAD' })

  expect(response.status).toBe(200)
  expect(response.headers.get('content-length')).toBe('10')
  expect(await response.text()).toBe('')
})

test.each([
  { range: 'bytes=2-4', status: 206, part: '234', contentRange: 'bytes 2-4/10' },
  { range: 'bytes=-3', status: 206, part: '789', contentRange: 'bytes 7-9/10' },
])('GET /files/:name serves the range $range', async ({ range, status, part, contentRange }) => {
  const response = await fetch(`${root}/files/${NAME}`, { headers: { range } })

  expect(response.status).toBe(status)
  expect(response.headers.get('content-range')).toBe(contentRange)
  expect(response.headers.get('content-type')).toBe('video/mp4')
  expect(await response.text()).toBe(part)
})

test('GET /files/:name refuses a range behind the end', async () => {
  const response = await fetch(`${root}/files/${NAME}`, { headers: { range: 'bytes=10-' } })

  expect(response.status).toBe(416)
  expect(response.headers.get('content-range')).toBe('bytes */10')
})

test.each([
  `/files/${'0b'.repeat(20)}.mp4`,
  `/files/.${NAME}.part`,
  '/files/notes.txt',
  '/files/..%2fsecret.mp4',
  `/files/${NAME}%00`,
])('GET %s is 404', async (path) => {
  expect(await statusOf(path)).toBe(404)
})

/** Sends the path as it is written, which fetch() would tidy up. */
function statusOf(path: string): Promise<number | undefined> {
  const { hostname, port } = new URL(root)
  return new Promise((resolve, reject) => {
    httpRequest({ hostname, port, path }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .on('error', reject)
      .end()
  })
}
