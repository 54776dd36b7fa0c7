import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import Fastify from 'fastify'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { filesRoute } from '../../../src/service/http/files.ts'
import type { GenerationResult } from '../../../src/service/providers/provider.ts'
import { type Bucket, createBucket } from '../../../src/service/storage/bucket.ts'
import { createStorage } from '../../../src/service/storage/storage.ts'
import { MP4 } from '../../media-files.ts'
import { makeFolder } from '../../support/make-folder.ts'
import { startS3 } from './s3-server.ts'
import { ROOMY } from './small-disk.ts'

const NAME = `${'0a'.repeat(20)}.mp4`
const CLIP: GenerationResult = {
  type: 'bytes',
  bytes: MP4,
  contentType: 'video/mp4',
}

const VIDEO = { media: 'video' } as const
const never = new AbortController().signal

/** The operator's to mend: the result is as good as before. */
const TROUBLE = { name: 'StorageUnavailableError', code: 'bucket' }

let mediaDir: string
let spoolDir: string

beforeEach(async () => {
  mediaDir = await makeFolder()
  spoolDir = join(mediaDir, 'spool')
})

function storageOver(bucket: Bucket) {
  onTestFinished(() => bucket.close())
  const guard = { allow: new Set<string>() }
  return createStorage({ mediaDir, guard, room: ROOMY, bucket, resultBytesMax: 100 })
}

async function openStorage() {
  const s3 = await startS3()
  const bucket = createBucket(s3.config)
  const storage = storageOver(bucket)
  return { s3, bucket, storage }
}

async function openFiles(options: { bucketUrl?: string } = {}) {
  const { s3, bucket } = await openStorage()
  s3.objects.set(NAME, { bytes: Buffer.from('0123456789'), type: 'video/mp4' })
  const app = Fastify()
  await app.register(filesRoute({ mediaDir, bucket, ...options }))
  const root = await app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => app.close())
  return { s3, url: `${root}/files/${NAME}` }
}

test('store() keeps the whole result in the bucket and nothing on disk', async () => {
  const { s3, storage } = await openStorage()

  const names = [await storage.store(CLIP, VIDEO, never), await storage.store(CLIP, VIDEO, never)]

  expect(names[0]).toMatch(/^[0-9a-f]{40}\.mp4$/)
  expect([...s3.objects]).toEqual(names.map((name) => [name, { bytes: MP4, type: 'video/mp4' }]))
  expect(await readdir(spoolDir)).toEqual([])
})

test('store() that the bucket refuses leaves nothing behind, and can be tried again', async () => {
  const { s3, storage } = await openStorage()
  s3.faults.push({ status: 503 })

  await expect(storage.store(CLIP, VIDEO, never)).rejects.toMatchObject(TROUBLE)
  expect([s3.objects.size, await readdir(spoolDir)]).toEqual([0, []])
  await storage.store(CLIP, VIDEO, never)

  expect(s3.objects.size).toBe(1)
})

test('store() is right at its second try where the clocks of the bucket and of this machine differ', async () => {
  const { objects, config } = await startS3({ aheadMs: -2 * 3_600_000 })
  const storage = storageOver(createBucket(config))

  await expect(storage.store(CLIP, VIDEO, never)).rejects.toMatchObject(TROUBLE)
  await storage.store(CLIP, VIDEO, never)

  expect(objects.size).toBe(1)
})

test('remove() takes objects back, also those that are not there', async () => {
  const { s3, storage } = await openStorage()
  const name = await storage.store(CLIP, VIDEO, never)

  await storage.remove([name, NAME])

  expect(s3.objects.size).toBe(0)
})

test('removePartial() deletes what never reached the bucket, after an hour', async () => {
  const { storage } = await openStorage()
  const old = new Date(Date.now() - 2 * 3_600_000)
  await mkdir(spoolDir)
  for (const name of [NAME, `${'0b'.repeat(20)}.mp4`]) await writeFile(join(spoolDir, name), '')
  await utimes(join(spoolDir, NAME), old, old)

  await storage.removePartial()

  expect(await readdir(spoolDir)).toEqual([`${'0b'.repeat(20)}.mp4`])
})

test.each([
  { range: 'bytes=2-4', status: 206, part: '234', contentRange: 'bytes 2-4/10' },
  { range: 'bytes=10-', status: 416, part: '', contentRange: 'bytes */10' },
])('GET /files/:name passes the range $range on', async ({ range, status, part, contentRange }) => {
  const { url } = await openFiles()

  const response = await fetch(url, { headers: range === undefined ? {} : { range } })

  expect([response.status, await response.text()]).toEqual([status, part])
  expect(response.headers.get('content-range')).toBe(contentRange)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'video/mp4',
    'content-length': String(part.length),
    'accept-ranges': 'bytes',
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
  })
})

test('GET /files/:name is 404 for what is in neither storage, 503 while the bucket is not there', async () => {
  const { s3, url } = await openFiles()
  const missing = await fetch(url.replace('0a', '0b'))
  s3.faults.push({ status: 500 })

  const unavailable = await fetch(url)

  expect([missing.status, unavailable.status]).toEqual([404, 503])
})

test('GET /files/:name leads to the address that the bucket has of its own', async () => {
  const { url } = await openFiles({ bucketUrl: 'https://cdn.example.org/' })

  const { status, headers } = await fetch(url, { redirect: 'manual' })

  expect([status, headers.get('location')]).toEqual([302, `https://cdn.example.org/${NAME}`])
})
