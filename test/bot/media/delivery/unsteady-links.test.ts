import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { expect, test } from 'vitest'
import { MP4 } from '../../../media-files.ts'
import { type Answer, json } from '../fake-service.ts'
import { createMediaSetup, USER_ID } from '../media-setup.ts'

const MIB = 2 ** 20
const PIECE = Buffer.alloc(64 * 1024)
const PRICE = 40_000_000n

test('a clip of 45 MB is uploaded whole', async () => {
  const { playground, service, startProcess, command, waitForOrder } = await createMediaSetup()
  const { orders } = await startProcess()
  const given = command()
  service.clipAnswers.push(clipOf(45 * MIB))
  service.succeeds(1)

  await orders.create(given)
  await waitForOrder(given, ({ state }) => state === 'delivered')

  const { video } = playground.transcript(USER_ID).at(-1) ?? {}
  expect(video?.size).toBe(45 * MIB)
  expect(video?.bytes?.subarray(0, MP4.length)).toEqual(MP4)
})

test('a link that fails three times and works then gives the clip once', async () => {
  const { playground, service, startProcess, command, waitForOrder } = await createMediaSetup()
  const { orders } = await startProcess()
  const given = command()
  service.clipAnswers.push(...Array(3).fill(json(503, { detail: 'Not now' })))
  service.succeeds(1)

  await orders.create(given)
  const order = await waitForOrder(given, ({ endedAt }) => endedAt !== null)

  expect(order).toMatchObject({ state: 'delivered', failedDeliveries: 3 })
  expect(playground.transcript(USER_ID).filter(({ video }) => video)).toHaveLength(1)
})

test.each([
  ['denied for a while', 403, 6],
  ['called gone', 410, 1],
])(
  'a link that is %s is reported, and charges agree with the service without what is written off',
  async (_name, status, tries) => {
    const { playground, service, alerts, startProcess, command, waitForOrder, charges } =
      await createMediaSetup()
    const { orders } = await startProcess({ redeliverMs: 10 })
    const [expired, good] = [command(), command()]
    service.clipAnswers.push(...Array(tries).fill(json(status, {})))
    service.succeeds(1)
    service.succeeds(2)

    await orders.create(expired)
    await waitForOrder(expired, ({ endedAt }) => endedAt !== null)
    await orders.create(good)
    await waitForOrder(good, ({ state }) => state === 'delivered')

    expect(service.clipAnswers).toEqual([])
    expect(playground.transcript(USER_ID).map(({ text }) => text)).toContainEqual(
      expect.stringContaining('You don’t pay for it (₽40.00)'),
    )
    expect(alerts).toEqual(['order_written_off'])
    const rows = await charges()
    const sumOf = (counted: typeof rows) =>
      counted.reduce((sum, { amountMicroRub }) => sum + amountMicroRub, 0n)
    expect(rows.filter(({ writtenOff }) => writtenOff)).toHaveLength(1)
    // The service made two clips and keeps the price of both; the user pays for one.
    expect(sumOf(rows.filter(({ writtenOff }) => !writtenOff))).toBe(
      BigInt(service.creations.length) * PRICE,
    )
    expect(sumOf(rows)).toBe(PRICE)
  },
)

/** A clip of so many bytes, as its length names before they come. */
function clipOf(bytes: number, onPiece: (bytes: number) => void = () => {}): Answer {
  return async (response) => {
    response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': bytes })
    const pieces = Readable.from(piecesOf(bytes), { objectMode: false })
    // Who reads only the head ends the connection.
    await pipeline(pieces, response).catch(() => {})
  }

  function* piecesOf(all: number): Generator<Buffer> {
    yield MP4
    for (let left = all - MP4.length; left > 0; left -= PIECE.length) {
      onPiece(PIECE.length)
      yield PIECE.subarray(0, Math.min(left, PIECE.length))
    }
  }
}
