import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { LiveEvent } from '../../../../src/bot/admin/dashboard/api.ts'
import { addCharge } from '../../spend/add-charge.ts'
import { ADMIN, ANNA, BALANCE_MICRO_RUB, setUpDashboard, VIEWER } from './dashboard-setup.ts'

const SECOND_MS = 1000

type NextEvent = () => Promise<{ name: string; data: unknown } | undefined>

async function setUpLive() {
  const dashboard = await setUpDashboard()
  const { root, clock, signIn } = dashboard
  return { ...dashboard, openPage, open, second }

  async function openPage(userId: number) {
    const token = await signIn(userId)
    return { token, ...(await open(token)) }
  }

  async function open(token: string) {
    const gone = new AbortController()
    onTestFinished(() => gone.abort())
    const response = await fetch(`${root}/admin/api/live`, {
      headers: { authorization: `Bearer ${token}` },
      signal: gone.signal,
    })
    return { response, next: readEvents(response), leave: () => gone.abort() }
  }

  async function second(): Promise<void> {
    await clock.untilAsleep()
    clock.advance(SECOND_MS)
    // The sleep that ends is none any more.
    await setImmediate()
    await clock.untilAsleep()
  }
}

function readEvents({ body }: Response): NextEvent {
  const texts = body?.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]()
  let text = ''
  return async () => {
    for (let end = text.indexOf('\n\n'); ; end = text.indexOf('\n\n')) {
      if (end >= 0) {
        const event = text.slice(0, end)
        text = text.slice(end + 2)
        const [, name = event, data = 'null'] = /^event: (\w+)\ndata: (.*)$/s.exec(event) ?? []
        return { name, data: JSON.parse(data) as unknown }
      }
      const piece = await texts?.next()
      if (piece === undefined || piece.done === true) return undefined
      text += piece.value
    }
  }
}

test('an open page gets what today comes to when it changes, and nothing when it does not', async () => {
  const { openPage, second, prisma } = await setUpLive()
  const { response, next } = await openPage(VIEWER)
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")

  const first = await next()
  await second()
  await addCharge(prisma, { userId: ANNA, amountMicroRub: 1_250_000n })
  await addCharge(prisma, { userId: ANNA, amountMicroRub: 1_000_000n })
  await second()

  expect(first).toMatchObject({ name: 'live', data: { today: { amountMicroRub: '0' } } })
  const { data } = (await next()) ?? {}
  expect(data).toMatchObject({
    today: { charges: 2, amountMicroRub: '2250000' },
    leftOf: 'account',
    balanceMicroRub: String(BALANCE_MICRO_RUB),
    reservedMicroRub: '0',
  } satisfies { today: Partial<LiveEvent['today']> } & Partial<Record<keyof LiveEvent, unknown>>)
})

test('a role that is taken away ends the stream, and one that is changed has the page ask who it is', async () => {
  const { openPage, second, setRole } = await setUpLive()
  const [viewer, admin] = [await openPage(VIEWER), await openPage(ADMIN)]
  await second()
  await Promise.all([viewer.next(), admin.next()])

  await setRole(VIEWER, null)
  await setRole(ADMIN, 'viewer')
  await second()

  for (const { next } of [viewer, admin]) {
    expect(await next()).toEqual({ name: 'end', data: { reason: 'role_changed' } })
    expect(await next()).toBeUndefined()
  }
})
