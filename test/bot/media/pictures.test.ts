import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { PictureOffer } from '../../../src/bot/media/pictures.ts'
import { ANNA, pngOf, ROOT, setUpPictures } from './picture-setup.ts'

const HOUR_MS = 3_600_000

test('a picture is served as what it is, to every client that has its address', async () => {
  const { send, offer, fetch } = await setUpPictures()
  const bytes = pngOf(1280, 720, 700_000)

  const imageUrl = urlOf(await offer(send(bytes), { userId: ANNA }))
  const whole = await fetch(imageUrl)
  const head = await fetch(imageUrl, { method: 'HEAD' })

  expect(imageUrl).toMatch(/^https:\/\/bot\.example\.org\/pictures\/[\w-]{43}$/)
  expect(whole.status).toBe(200)
  expect(whole.bytes.equals(bytes)).toBe(true)
  const headers = {
    'content-type': 'image/png',
    'content-length': '700000',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  }
  expect(whole.headers).toMatchObject(headers)
  expect([head.status, head.bytes.length]).toEqual([200, 0])
  expect(head.headers).toMatchObject(headers)
})

test('an address that is nearly right is not found, and nothing but reading is', async () => {
  const { send, offer, fetch } = await setUpPictures()
  const imageUrl = urlOf(await offer(send(pngOf(640, 480)), { userId: ANNA }))

  const near = imageUrl.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))
  const answers = await Promise.all([
    fetch(near),
    fetch(`${imageUrl}A`),
    fetch(`${ROOT}/pictures/`),
    fetch(`${ROOT}/pictures/..%2f..%2fetc%2fpasswd`),
    fetch(imageUrl, { method: 'POST' }),
  ])

  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])
})

test('a picture that is not ordered is served for two hours, then not found, then deleted', async () => {
  const { send, offer, fetch, clock, stored, prisma } = await setUpPictures()
  const imageUrl = urlOf(await offer(send(pngOf(640, 480)), { userId: ANNA }))

  await clock.advance(2 * HOUR_MS - 60_000)
  await stored.purge()
  const before = await fetch(imageUrl)
  await clock.advance(120_000)
  const after = await fetch(imageUrl)
  await stored.purge()

  expect([before.status, after.status]).toEqual([200, 404])
  expect(await prisma.picture.count()).toBe(0)
})

test('a picture that was ordered is served until a day after its order has ended', async () => {
  const { send, offer, order, fetch, clock, stored, prisma } = await setUpPictures()
  const imageUrl = urlOf(await offer(send(pngOf(640, 480)), { userId: ANNA }))
  const id = await order(imageUrl)

  await clock.advance(30 * HOUR_MS)
  await stored.purge()
  const whileMade = await fetch(imageUrl)
  await prisma.$executeRaw`UPDATE bot."order" SET ended_at = now() WHERE id = ${id}`
  await clock.advance(23 * HOUR_MS)
  await stored.purge()
  const sameDay = await fetch(imageUrl)
  await clock.advance(2 * HOUR_MS)
  const nextDay = await fetch(imageUrl)
  await stored.purge()

  expect([whileMade.status, sameDay.status, nextDay.status]).toEqual([200, 200, 404])
  expect(await prisma.picture.findFirst()).toMatchObject({ bytes: null })
})

test('the picture of an order that ended long ago is fetched from Telegram again for another order', async () => {
  const { send, offer, offerAgain, order, fetch, clock, stored, prisma } = await setUpPictures()
  const bytes = pngOf(640, 480)
  const imageUrl = urlOf(await offer(send(bytes), { userId: ANNA }))
  const id = await order(imageUrl)
  await prisma.$executeRaw`UPDATE bot."order" SET ended_at = now() WHERE id = ${id}`
  await clock.advance(25 * HOUR_MS)
  await stored.purge()

  const again = await offerAgain(imageUrl, { userId: ANNA })

  expect((await fetch(urlOf(again))).bytes.equals(bytes)).toBe(true)
  expect(await offerAgain('https://files.example.org/result.png', { userId: ANNA })).toEqual({
    status: 'offered',
    imageUrl: 'https://files.example.org/result.png',
  })
  const unknown = `${ROOT}/pictures/${'A'.repeat(43)}`
  expect(await offerAgain(unknown, { userId: ANNA })).toEqual({ status: 'gone' })
})

test('a user has five pictures at most that no order uses', async () => {
  const { send, offer, order, fetch, clock } = await setUpPictures()
  const urls: string[] = []

  for (let count = 0; count < 7; count++) {
    urls.push(urlOf(await offer(send(pngOf(640, 480)), { userId: ANNA })))
    if (count === 0) await order(urls[0] ?? '')
    await clock.advance(1000)
  }

  const answers = await Promise.all(urls.map((imageUrl) => fetch(imageUrl)))
  expect(answers.map(({ status }) => status)).toEqual([200, 404, 200, 200, 200, 200, 200])
})

test.each([
  ['20 MB and a byte', { sizeBytes: 20 * 1024 * 1024 + 1 }, 'too_large'],
  ['600 × 1801', { width: 600, height: 1801 }, 'wrong_shape'],
])('a picture of %s is refused before it is fetched', async (_, facts, status) => {
  const { send, offer, prisma } = await setUpPictures()
  const picture = send(pngOf(640, 480), facts)

  // Telegram does not know it: asking would give another answer.
  expect(await offer({ ...picture, fileId: 'unknown' } as never, { userId: ANNA })).toEqual({
    status,
  })
  expect(await prisma.picture.count()).toBe(0)
})

test.each([
  ['a file that calls itself a picture', Buffer.from('<svg onload="alert(1)"/>'), 'not_a_picture'],
  ['more than 20 MB', pngOf(640, 480, 20 * 1024 * 1024 + 1), 'too_large'],
])('%s, of which nothing was known, is refused by its bytes', async (_, bytes, status) => {
  const { send, offer, prisma } = await setUpPictures()

  expect(await offer(send(bytes), { userId: ANNA })).toEqual({ status })
  expect(await prisma.picture.count()).toBe(0)
})

test('without an address at which the service finds this process, nothing is offered', async () => {
  const { send, offer, prisma } = await setUpPictures({ hasRoot: false })

  expect(await offer(send(pngOf(640, 480)), { userId: ANNA })).toEqual({ status: 'no_public_url' })
  expect(await prisma.picture.count()).toBe(0)
})

test('the database holds no address: a token is kept as its hash', async () => {
  const { send, offer, prisma } = await setUpPictures()

  const token = urlOf(await offer(send(pngOf(640, 480)), { userId: ANNA })).slice(-43)

  const kept = await prisma.picture.findFirstOrThrow()
  expect(Buffer.from(kept.tokenHash)).toEqual(createHash('sha256').update(token).digest())
  expect(JSON.stringify(kept, (_, value) => String(value))).not.toContain(token)
})

function urlOf(offer: PictureOffer): string {
  if (offer.status !== 'offered') throw new Error(`Not offered: ${offer.status}`)
  return offer.imageUrl
}
