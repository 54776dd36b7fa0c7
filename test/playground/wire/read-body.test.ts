import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { BODY_BYTES_MAX, readBody } from '../../../src/playground/wire/read-params.ts'

const PIECE = Buffer.alloc(64 * 1024, 'x')

/** Sends a body in pieces, with its length before it or not. Resolves with what was read. */
async function readSent({
  pieces,
  hasLength,
}: {
  pieces: number
  hasLength: boolean
}): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const server = createServer((request, response) => {
    readBody(request)
      .then(resolve, reject)
      .finally(() => response.end())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const body = hasLength
    ? Buffer.concat(Array.from({ length: pieces }, () => PIECE))
    : Readable.from(Array.from({ length: pieces }, () => PIECE))
  // Fetch sends what it can iterate over, which its types do not know.
  const init = { method: 'POST', body, duplex: 'half' } as unknown as RequestInit
  const [read] = await Promise.all([promise, fetch(`http://127.0.0.1:${port}`, init)])
  return read
}

test.each([1, 10, 200])(
  'readBody() reads a body of unknown length in %i pieces whole',
  async (pieces) => {
    const body = await readSent({ pieces, hasLength: false })

    expect(body).toHaveLength(pieces * PIECE.length)
    expect(body.every((byte) => byte === PIECE[0])).toBe(true)
    expect(body.buffer.byteLength).toBeLessThanOrEqual(BODY_BYTES_MAX)
  },
)

test('readBody() takes 50 MiB and nothing beyond', async () => {
  const most = BODY_BYTES_MAX / PIECE.length

  expect(await readSent({ pieces: most, hasLength: true })).toHaveLength(BODY_BYTES_MAX)
  await expect(readSent({ pieces: most + 1, hasLength: true })).rejects.toThrow(
    'Request Entity Too Large',
  )
  await expect(readSent({ pieces: most + 1, hasLength: false })).rejects.toThrow(
    'Request Entity Too Large',
  )
})
