import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { addCharge } from '../../spend/add-charge.ts'
import { ADMIN, ANNA, readText, setUpPage, VIEWER } from './page-setup.ts'

const SECOND_MS = 1000

async function setUpLive() {
  const page = await setUpPage()
  const { root, clock, signIn } = page
  return { ...page, open, second }

  async function open(userId: number) {
    const gone = new AbortController()
    onTestFinished(() => gone.abort())
    const response = await fetch(`${root}/admin/live`, {
      headers: { authorization: `Bearer ${await signIn(userId)}` },
      signal: gone.signal,
    })
    return { response, next: readLines(response) }
  }

  async function second(): Promise<void> {
    await clock.untilAsleep()
    clock.advance(SECOND_MS)
    // The sleep that ends is none any more.
    await setImmediate()
    await clock.untilAsleep()
  }
}

/** Reads what a stream sends, a line at a time; undefined at its end. */
function readLines({ body }: Response): () => Promise<string | undefined> {
  const pieces = body?.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]()
  let text = ''
  return async () => {
    for (;;) {
      const [line, ...rest] = text.split('\n')
      if (rest.length > 0) {
        text = rest.join('\n')
        return readText(line ?? '')
      }
      const piece = await pieces?.next()
      if (piece === undefined || piece.done === true) return undefined
      text += piece.value
    }
  }
}

test('an open page gets the figures when they change, and nothing when they do not', async () => {
  const { open, second, prisma } = await setUpLive()
  const { response, next } = await open(VIEWER)
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")

  const first = await next()
  await second()
  await addCharge(prisma, { userId: ANNA, amountMicroRub: 1_250_000n })
  await addCharge(prisma, { userId: ANNA, amountMicroRub: 1_000_000n })
  await second()

  const figures = (today: string) =>
    ['Today', today, 'In progress', '₽0.00', 'Balance', '₽1,234.50'].join('\n')
  expect(first).toBe(figures('₽0.00'))
  expect(await next()).toBe(figures('₽2.25'))
})

test('a role that is taken away or changed ends the stream', async () => {
  const { open, second, setRole } = await setUpLive()
  const [viewer, admin] = [await open(VIEWER), await open(ADMIN)]
  await second()
  await Promise.all([viewer.next(), admin.next()])

  await setRole(VIEWER, null)
  await setRole(ADMIN, 'viewer')
  await second()

  for (const { next } of [viewer, admin]) expect(await next()).toBeUndefined()
})
