import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { setUpDashboard } from '../dashboard-setup.ts'

test('the page is served without a session and asked for each time; what has a hash is kept for ever', async () => {
  const { ask } = await setUpDashboard()

  const page = await ask('GET', '/')
  const asset = await ask('GET', '/assets/index-0a1b2c.js')
  const icon = await ask('GET', '/icon.svg')

  expect(page).toMatchObject({ status: 200, body: expect.stringContaining('<title>Kopeck') })
  expect(page.headers.get('content-type')).toMatch(/^text\/html/)
  expect(page.headers.get('cache-control')).toBe('no-cache')
  expect(asset.headers.get('content-type')).toMatch(/javascript/)
  expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect(icon.headers.get('cache-control')).toBe('no-cache')
})

test('no path leads out of the folder of the page', async () => {
  const { root } = await setUpDashboard()
  const { port } = new URL(root)
  const paths = [
    '/admin/../package.json',
    '/admin/../../../../../../etc/passwd',
    '/admin/%2e%2e/%2e%2e/%2e%2e/etc/passwd',
    '/admin/..%2f..%2f..%2f..%2fetc%2fpasswd',
    '/admin/..%5c..%5cetc%5cpasswd',
    '/admin/assets/../../package.json',
    '/admin/assets/%2e%2e%2findex.html',
    '/admin//etc/passwd',
    '/admin/assets/index-0a1b2c.js%00.html',
    '/admin/.env',
  ]

  for (const path of paths) {
    expect(await statusOf(Number(port), path), path).toMatch(/^HTTP\/1\.1 (400|403|404)/)
  }
  // The control: the way by which the paths are asked for does lead to what is there.
  expect(await statusOf(Number(port), '/admin/assets/index-0a1b2c.js')).toBe('HTTP/1.1 200 OK')
})

/** Asks for a path as it is; `fetch()` would tidy it up. */
async function statusOf(port: number, path: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`)
  const answer = Buffer.concat(await socket.toArray()).toString()
  return answer.slice(0, answer.indexOf('\r\n'))
}
