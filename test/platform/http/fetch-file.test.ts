import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { fetchFile } from '../../../src/platform/http/fetch-file.ts'
import type { Resolve } from '../../../src/platform/http/url-guard.ts'
import { MP4, PNG } from '../../media-files.ts'
import { startServer } from './local-server.ts'
import { openProxies, startProxyServer } from './proxy-server.ts'

const BYTES_MAX = 1000

async function startBoth(answer: (response: ServerResponse, path: string) => void) {
  const outside = await startServer((response, { path }) => answer(response, path))
  const inside = await startServer((response) => void response.end(MP4))
  return { inside, hostOf: hostOf(inside.baseUrl), url: `${outside.baseUrl}/video` }
}

const hostOf = (url: string) => new URL(url).host

async function fetchBytes(
  url: string,
  { resolve, signal }: { resolve?: Resolve; signal?: AbortSignal } = {},
): Promise<Buffer> {
  const rules = {
    media: 'video',
    bytesMax: BYTES_MAX,
    guard: { allow: new Set([hostOf(url)]), resolve },
    signal: signal ?? new AbortController().signal,
  } as const
  return await fetchFile(url, rules, async ({ bytes }) =>
    Buffer.concat(await Array.fromAsync(bytes)),
  )
}

test('fetchFile() fetches a file whole, over redirects', async () => {
  const { url } = await startBoth((response, path) => {
    const turn = path.length - '/api/v1/video'.length
    if (turn < 5) response.writeHead(307, { location: `${path}x` }).end()
    else response.end(MP4)
  })

  expect(await fetchBytes(url)).toEqual(MP4)
})

test('fetchFile() follows at most 5 redirects', async () => {
  const { url } = await startBoth((response, path) => {
    response.writeHead(302, { location: path }).end()
  })

  await expect(fetchBytes(url)).rejects.toThrow('more than 5 redirects')
})

test.each([
  ['an address', (port: string) => `http://127.0.0.1:${port}/`],
  ['an address in another spelling', (port: string) => `http://0x7f.1:${port}/`],
  ['an address in IPv6', (port: string) => `http://[::ffff:127.0.0.1]:${port}/`],
  ['a name', (port: string) => `http://localhost:${port}/`],
  ['a full name', (port: string) => `http://inside.example.com:${port}/`],
  ['metadata', () => 'http://169.254.169.254/latest/meta-data/'],
  ['a file', () => 'file:///etc/passwd'],
])('fetchFile() follows no redirect to %s inside', async (_name, toLocation) => {
  const both = await startBoth((response) => {
    response.writeHead(302, { location: toLocation(both.hostOf.split(':')[1] ?? '') }).end()
  })
  const resolve = async () => [{ address: '127.0.0.1' }]

  await expect(fetchBytes(both.url, { resolve })).rejects.toMatchObject({ code: 'not_allowed' })

  expect(both.inside.connections()).toBe(0)
})

test('a name is asked about once for each connection, which goes to the address that was judged', async () => {
  const both = await startBoth((response) => response.end(MP4))
  const { port } = new URL(both.url)
  const asked: string[] = []
  // A resolver that is asked again says something else.
  const resolve = async (name: string) => {
    asked.push(name)
    return [{ address: asked.length === 1 ? '127.0.0.1' : '127.0.0.2' }]
  }

  const bytes = await fetchBytes(`http://turning.example.com:${port}/video`, { resolve })

  expect(bytes).toEqual(MP4)
  expect(asked).toEqual(['turning.example.com'])
})

test('a name that turns to the inside is caught at its second look', async () => {
  const both = await startBoth(() => {})
  const turning = await startServer((response) => {
    response.writeHead(302, {
      location: `http://turning.example.com:${both.hostOf.split(':')[1]}/`,
    })
    response.end()
  })
  const { port } = new URL(turning.baseUrl)
  const resolve = async () => [{ address: '127.0.0.1' }]

  const fetching = fetchBytes(`http://turning.example.com:${port}/video`, { resolve })

  await expect(fetching).rejects.toMatchObject({ code: 'not_allowed' })
  expect([turning.connections(), both.inside.connections()]).toEqual([1, 0])
})

test('fetchFile() reads nothing of a file that says it is too large', async () => {
  let written = 0
  const { url } = await startBoth((response) => {
    response.writeHead(200, { 'content-length': 10 * 2 ** 30 })
    response.write(MP4, () => {
      written += 1
    })
  })

  await expect(fetchBytes(url)).rejects.toMatchObject({ code: 'too_large' })
  expect(written).toBeLessThanOrEqual(1)
})

test('fetchFile() stops reading a file that does not end', async () => {
  const closed = Promise.withResolvers<void>()
  const { url } = await startBoth((response) => {
    response.once('close', closed.resolve)
    const write = () => {
      if (response.destroyed) return
      response.write(MP4)
      setImmediate(write)
    }
    write()
  })

  await expect(fetchBytes(url)).rejects.toMatchObject({ code: 'too_large' })
  await closed.promise
})

test.each([
  ['a page', '<!doctype html><html>'],
  ['a picture', PNG],
])('fetchFile() takes no %s for a video', async (_name, bytes) => {
  const { url } = await startBoth((response) => {
    response.setHeader('content-type', 'video/mp4').end(bytes)
  })

  await expect(fetchBytes(url)).rejects.toMatchObject({ code: 'wrong_media' })
})

test('through a proxy a file is fetched by its name, and no redirect leads to a private address', async () => {
  const proxy = await startProxyServer({ names: { 'files.example.com': '127.0.0.1' } })
  const { port } = new URL((await startServer(answer)).baseUrl)
  const fetchFrom = (path: string) => {
    const guard = { allow: new Set<string>(), proxies: openProxies(proxy.url) }
    const { signal } = new AbortController()
    const rules = { media: 'video', bytesMax: BYTES_MAX, guard, signal } as const
    return fetchFile(`http://files.example.com:${port}/${path}`, rules, async ({ bytes }) =>
      Buffer.concat(await Array.fromAsync(bytes)),
    )
  }

  expect(await fetchFrom('video')).toEqual(MP4)
  await expect(fetchFrom('inside')).rejects.toThrow('must have a host that is found')
  expect(new Set(proxy.asked)).toEqual(new Set([`files.example.com:${port}`]))

  function answer(response: ServerResponse, { path }: { path: string }): void {
    if (path === '/video') response.end(MP4)
    else response.writeHead(302, { location: 'http://10.0.0.7/video' }).end()
  }
})
