import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  createStorage,
  isStoredName,
  ResultTooLargeError,
  type Storage,
} from '../../../src/service/storage/storage.ts'

const CLIP = {
  type: 'bytes',
  bytes: new TextEncoder().encode('0123456789'),
  contentType: 'video/mp4',
} as const
const never = new AbortController().signal

let mediaDir: string
let storage: Storage
let server: Server | undefined

beforeEach(async () => {
  mediaDir = join(await mkdtemp(join(tmpdir(), 'kopeck-storage-')), 'media')
  storage = createStorage({ mediaDir, resultBytesMax: 100 })
})

afterEach(async () => {
  await storage.close()
  server?.closeAllConnections()
  server?.close()
  server = undefined
  await rm(join(mediaDir, '..'), { recursive: true })
})

async function serve(listener: RequestListener): Promise<string> {
  server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/result`
}

function copy(url: string, signal = never) {
  return storage.store({ type: 'url', url }, 'mp4', signal)
}

test('store() keeps bytes under a name that cannot be guessed', async () => {
  const names = [await storage.store(CLIP, 'mp4', never), await storage.store(CLIP, 'mp4', never)]

  expect(new Set(names).size).toBe(2)
  expect((await readdir(mediaDir)).sort()).toEqual(names.sort())
  for (const name of names) {
    expect(isStoredName(name)).toBe(true)
    expect(await readFile(join(mediaDir, name), 'utf8')).toBe('0123456789')
  }
})

test('store() copies a link, over a redirect, with the extension of its type', async () => {
  const url = await serve((request, response) => {
    if (request.url === '/result') response.writeHead(302, { location: '/moved' }).end()
    else response.setHeader('content-type', 'Image/PNG; q=1').end('picture')
  })

  const name = await copy(url)

  expect(name).toMatch(/\.png$/)
  expect(await readFile(join(mediaDir, name), 'utf8')).toBe('picture')
})

test.each(['text/html', 'image/svg+xml', 'application/octet-stream'])(
  'store() never keeps a result as %s',
  async (type) => {
    const url = await serve((_request, response) => {
      response.setHeader('content-type', type).end('<script>')
    })

    expect(await copy(url)).toMatch(/\.mp4$/)
  },
)

test('store() shows no file until it is whole', async () => {
  const finish = Promise.withResolvers<void>()
  const url = await serve(async (_request, response) => {
    response.writeHead(200, { 'content-length': 10 }).write('01234')
    await finish.promise
    response.end('56789')
  })

  const storing = copy(url)
  const seenBefore = await vi.waitUntil(async () => {
    const names = await readdir(mediaDir).catch(() => [])
    return names.length > 0 && names
  })
  finish.resolve()
  const name = await storing

  expect(seenBefore).toEqual([`.${name}.part`])
  expect(isStoredName(`.${name}.part`)).toBe(false)
  expect(await readdir(mediaDir)).toEqual([name])
})

test.each<[string, RequestListener]>([
  [
    'breaks off',
    (_request, response) => {
      response.writeHead(200, { 'content-length': 10 }).write('01234', () => response.destroy())
    },
  ],
  ['is not there', (_request, response) => response.writeHead(404).end('gone')],
  [
    'redirects for ever',
    (_request, response) => response.writeHead(302, { location: '/result' }).end(),
  ],
])('store() leaves nothing behind when a link %s', async (_name, listener) => {
  const url = await serve(listener)

  await expect(copy(url)).rejects.toThrow()
  expect(await readdir(mediaDir).catch(() => [])).toEqual([])
})

test('store() leaves nothing behind when it is cut off', async () => {
  const cut = new AbortController()
  const url = await serve((_request, response) => {
    response.writeHead(200, { 'content-length': 10 }).write('01234')
  })

  const storing = copy(url, cut.signal)
  await vi.waitUntil(async () => (await readdir(mediaDir).catch(() => [])).length > 0)
  cut.abort(new Error('stopping'))

  await expect(storing).rejects.toThrow('stopping')
  expect(await readdir(mediaDir)).toEqual([])
})

test('store() refuses what is too large, however it comes', async () => {
  const url = await serve((_request, response) => {
    response.write('x'.repeat(60))
    response.end('x'.repeat(60))
  })
  const bytes = new Uint8Array(101)

  await expect(copy(url)).rejects.toThrow(ResultTooLargeError)
  await expect(storage.store({ ...CLIP, bytes }, 'mp4', never)).rejects.toThrow(ResultTooLargeError)
  expect(await readdir(mediaDir)).toEqual([])
})

test('removePartial() deletes old partial files and nothing else', async () => {
  const kept = await storage.store(CLIP, 'mp4', never)
  for (const name of ['.aa.mp4.part', '.bb.mp4.part', '.gitignore']) {
    await writeFile(join(mediaDir, name), '')
  }
  const now = new Date()
  const old = new Date(now.getTime() - 2 * 3_600_000)
  for (const name of [kept, '.aa.mp4.part', '.gitignore']) {
    await utimes(join(mediaDir, name), old, old)
  }

  await storage.removePartial(now)

  expect((await readdir(mediaDir)).sort()).toEqual(['.bb.mp4.part', '.gitignore', kept])
})
