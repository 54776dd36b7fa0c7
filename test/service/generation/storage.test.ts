import { once } from 'node:events'
import { readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import {
  createStorage,
  isStoredName,
  type Storage,
} from '../../../src/service/generation/storage.ts'
import type { ServiceTrouble } from '../../../src/service/service.ts'
import { MP4, PNG } from '../../media-files.ts'
import { makeFolder } from '../../support/make-folder.ts'
import { startTestService } from '../service-fixture.ts'
import { mountSmallDisk, readRoomyDisk } from './small-disk.ts'

const CLIP = { type: 'bytes', bytes: MP4, contentType: 'video/mp4' } as const
const VIDEO = { media: 'video' } as const
/** The first half of a video, longer than what a file is recognised by. */
const LONG = Buffer.concat([MP4, Buffer.alloc(70 - MP4.length)])
const never = new AbortController().signal
const BLOCK_BYTES = 4096
const GIGABYTE_BLOCKS = 2 ** 30 / BLOCK_BYTES
const FULL_DISK = { bavail: GIGABYTE_BLOCKS - 1, bsize: BLOCK_BYTES }

let mediaDir: string
let storage: Storage
let server: Server | undefined

beforeEach(async () => {
  mediaDir = join(await makeFolder(), 'media')
  storage = createStorage({
    mediaDir,
    guard: { allow: new Set() },
    readDisk: readRoomyDisk,
    resultBytesMax: 150,
  })
})

afterEach(async () => {
  server?.closeAllConnections()
  server?.close()
  server = undefined
})

async function serve(listener: RequestListener): Promise<string> {
  server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/result`
}

async function stored(): Promise<string[]> {
  return await readdir(mediaDir).catch(() => [])
}

function copy(url: string) {
  return storage.store({ type: 'url', url }, { ...VIDEO, providerUrl: url }, never)
}

test('store() writes nothing to a disk that is short', async () => {
  const readDisk = async () => FULL_DISK
  const short = createStorage({ mediaDir, guard: { allow: new Set() }, readDisk })

  await expect(short.store(CLIP, VIDEO, never)).rejects.toMatchObject({ code: 'last_gigabyte' })

  await expect(readdir(mediaDir)).rejects.toMatchObject({ code: 'ENOENT' })
})

test('store() leaves nothing of a result that grew until its disk was short', async () => {
  const video = Buffer.concat([MP4, Buffer.alloc(40 * 2 ** 20)])
  const readDisk = vi.fn(readRoomyDisk).mockResolvedValue(FULL_DISK)
  readDisk.mockImplementationOnce(readRoomyDisk).mockImplementationOnce(readRoomyDisk)
  const url = await serve((_request, response) => response.end(video))
  const short = createStorage({ mediaDir, guard: { allow: new Set() }, readDisk })

  const storing = short.store({ type: 'url', url }, { ...VIDEO, providerUrl: url }, never)

  await expect(storing).rejects.toMatchObject({ code: 'last_gigabyte' })
  expect(await readdir(mediaDir)).toEqual([])
})

test('store() keeps bytes under a name that cannot be guessed', async () => {
  const names = [await storage.store(CLIP, VIDEO, never), await storage.store(CLIP, VIDEO, never)]

  expect(new Set(names).size).toBe(2)
  expect((await readdir(mediaDir)).sort()).toEqual(names.sort())
  for (const name of names) {
    expect(isStoredName(name)).toBe(true)
    expect(await readFile(join(mediaDir, name))).toEqual(MP4)
  }
})

test.each([
  ['a page', Buffer.from('<!doctype html><script>'), 'wrong_media'],
  ['a picture', PNG, 'wrong_media'],
  ['too many bytes', new Uint8Array(151), 'too_large'],
])('store() keeps nothing of %s', async (_name, bytes, code) => {
  const storing = storage.store({ ...CLIP, bytes }, VIDEO, never)

  await expect(storing).rejects.toMatchObject({ name: 'FileRefusedError', code })
  expect(await stored()).toEqual([])
})

test('store() shows no file until it is whole', async () => {
  const finish = Promise.withResolvers<void>()
  const url = await serve(async (_request, response) => {
    response.writeHead(200, { 'content-length': 2 * LONG.length }).write(LONG)
    await finish.promise
    response.end(LONG)
  })

  const storing = copy(url)
  await expect.poll(stored).toHaveLength(1)
  const seenBefore = await stored()
  finish.resolve()
  const name = await storing

  expect(seenBefore.filter(isStoredName)).toEqual([])
  expect(await readdir(mediaDir)).toEqual([name])
})

test('store() leaves nothing behind when a link breaks off', async () => {
  const url = await serve((_request, response) => {
    response.writeHead(200, { 'content-length': 99 }).write(LONG, () => response.destroy())
  })

  await expect(copy(url)).rejects.toThrow()
  expect(await stored()).toEqual([])
})

test('removePartial() deletes old partial files and nothing else', async () => {
  const kept = await storage.store(CLIP, VIDEO, never)
  for (const name of ['.aa.mp4.part', '.bb.mp4.part', '.gitignore']) {
    await writeFile(join(mediaDir, name), '')
  }
  const old = new Date(Date.now() - 2 * 3_600_000)
  for (const name of [kept, '.aa.mp4.part', '.gitignore']) {
    await utimes(join(mediaDir, name), old, old)
  }

  await storage.removePartial()

  expect((await readdir(mediaDir)).sort()).toEqual(['.bb.mp4.part', '.gitignore', kept])
})

test('a disk that cannot be written is the trouble of the storage, not of the result', async () => {
  const url = await serve((_request, response) => response.end(MP4))
  // What stands in the way of the folder is a file, for root may write anywhere.
  await writeFile(mediaDir, '')
  const trouble = { name: 'StorageUnavailableError', code: 'EEXIST' }

  await expect(storage.store(CLIP, VIDEO, never)).rejects.toMatchObject(trouble)
  await expect(copy(url)).rejects.toMatchObject(trouble)
  await rm(mediaDir)

  expect(await copy(url)).toMatch(/\.mp4$/)
})

test('results and their folder are closed to others', async () => {
  const name = await storage.store(CLIP, VIDEO, never)

  expect((await stat(mediaDir)).mode & 0o777).toBe(0o700)
  expect((await stat(join(mediaDir, name))).mode & 0o777).toBe(0o600)
})

test.each([
  ['a gigabyte', GIGABYTE_BLOCKS, false],
  ['a block less than a gigabyte', GIGABYTE_BLOCKS - 1, true],
  ['nothing', 0, true],
])('a disk that has %s left for us', async (_name, bavail, isShort) => {
  const readDisk = async () => ({ bavail, bsize: BLOCK_BYTES })
  const onDisk = createStorage({ mediaDir, guard: { allow: new Set() }, readDisk })

  expect(await onDisk.isShort()).toBe(isShort)
  expect(await onDisk.freeBytes()).toBe(bavail * BLOCK_BYTES)
})

const CREATION = {
  method: 'POST',
  headers: { 'content-type': 'application/json', 'idempotency-key': 'k1' },
  body: JSON.stringify({ prompt: 'a cat', aspect_ratio: '1280:720' }),
}

test('on the last gigabyte of the disk creations are 503 and cost nothing, and the operator is notified', async ({
  skip,
}) => {
  const disk = mountSmallDisk() ?? skip('only root may mount a small disk')
  onTestFinished(disk.unmount)
  const onTrouble = vi.fn<(trouble: ServiceTrouble) => void>()
  await using kopeck = await startTestService()
  await using short = await startTestService({
    beside: kopeck,
    onTrouble,
    mediaDir: join(disk.dir, 'media'),
  })
  const balance = await kopeck.balance()

  const refused = await short.call('/videos/vidgen-generate', CREATION)

  expect(refused.status).toBe(503)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await refused.json()).toEqual({ detail: 'There is no room for results now.' })
  expect(await kopeck.balance()).toBe(balance)
  expect(onTrouble.mock.calls).toEqual([['storage_unavailable']])
  expect(await short.service.readMetrics()).toContain('kopeck_disk_available_bytes 65536')
})
