import { mkdtemp, readdir, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  fetchResult,
  UPLOAD_BYTES_MAX,
  writeScratchFile,
} from '../../../src/bot/media/fetch-result.ts'
import { readBody } from '../../../src/platform/http/http-client.ts'
import { MP4 } from '../../media-files.ts'
import { startServer } from '../../platform/http/local-server.ts'

const NEVER = new AbortController().signal

function fetchOwn(url: string, signal = NEVER) {
  const guard = { allow: new Set([new URL(url).host]) }
  return fetchResult(url, { kind: 'video', bytesMax: UPLOAD_BYTES_MAX, guard, signal })
}

test('a video is fetched whole, over a redirect', async () => {
  const { baseUrl } = await startServer((response, { path }) => {
    if (path.endsWith('/moved')) response.writeHead(302, { location: '/video' }).end()
    else response.end(MP4)
  })

  const { type, file } = await fetchOwn(`${baseUrl}/moved`)

  expect(type.extension).toBe('mp4')
  expect(file.bytes).toBe(MP4.length)
  expect(await readBody(file.read(), MP4.length)).toEqual(MP4)
  await file.close()
})

test('a video over the bound is refused as it comes', async () => {
  const piece = Buffer.alloc(4 * 1024 * 1024)
  const { baseUrl } = await startServer((response) => {
    response.on('error', () => {})
    response.write(MP4)
    const write = () => {
      while (!response.destroyed && response.write(piece));
      if (!response.destroyed) response.once('drain', write)
    }
    write()
  })

  await expect(fetchOwn(`${baseUrl}/video`)).rejects.toMatchObject({ code: 'too_large' })
})

test.each([
  [403, 'denied'],
  [404, 'denied'],
  [429, 'unavailable'],
  [500, 'unavailable'],
])('a link that is answered %i is %s', async (status, code) => {
  const { baseUrl } = await startServer((response) => {
    response.writeHead(status).end()
  })

  await expect(fetchOwn(`${baseUrl}/video`)).rejects.toMatchObject({ code })
})

test('a link that is gone is not asked again', async () => {
  const { baseUrl } = await startServer((response) => {
    response.writeHead(410).end()
  })

  await expect(fetchOwn(`${baseUrl}/video`)).rejects.toMatchObject({ code: 'refused' })
})

test('a link into our own network is not followed, and neither is a redirect to one', async () => {
  const inside = await startServer((response) => void response.end(MP4))
  const service = await startServer((response) => {
    response.writeHead(302, { location: `${inside.baseUrl}/video` }).end()
  })

  await expect(
    fetchResult(`${inside.baseUrl}/video`, {
      kind: 'video',
      bytesMax: UPLOAD_BYTES_MAX,
      guard: { allow: new Set() },
      signal: NEVER,
    }),
  ).rejects.toMatchObject({ code: 'refused' })
  await expect(fetchOwn(`${service.baseUrl}/video`)).rejects.toMatchObject({ code: 'refused' })
  expect(inside.requests).toEqual([])
})

let folder = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'scratch-test-'))
  vi.stubEnv('TMPDIR', folder)
})

afterEach(async () => {
  vi.unstubAllEnvs()
  await rmdir(folder)
})

const BYTES = Buffer.from(Array.from({ length: 200_000 }, (_, index) => index % 251))

async function* pieces() {
  for (let at = 0; at < BYTES.length; at += 7_000) yield BYTES.subarray(at, at + 7_000)
}

test('the file has no name that a process could leave behind', async () => {
  const file = await writeScratchFile(pieces())

  expect(await readdir(folder)).toEqual([])
  await file.close()
})

test('pieces that break leave nothing', async () => {
  const broken = async function* () {
    yield BYTES
    throw new Error('The connection broke')
  }

  await expect(writeScratchFile(broken())).rejects.toThrow('The connection broke')
  expect(await readdir(folder)).toEqual([])
})
