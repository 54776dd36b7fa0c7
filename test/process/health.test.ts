import { expect, onTestFinished, test } from 'vitest'
import { createHealth, createReach } from '../../src/process/health.ts'
import { openProxies } from '../platform/http/proxy-server.ts'
import { createManualClock } from '../platform/time/manual-clock.ts'

test('a process is not ready before its roles run, after they end, and while it stops', () => {
  let isStopping = false
  const health = createHealth({
    version: '1.2.3',
    isStopping: () => isStopping,
    clock: createManualClock(),
  })

  const before = health.report()
  const end = health.begin([])
  const running = health.report()
  end()
  const between = health.report()
  onTestFinished(health.begin([]))
  isStopping = true

  expect(before).toEqual({ ready: false, reasons: ['the process is starting'], version: '1.2.3' })
  expect(running).toEqual({ ready: true, reasons: [], version: '1.2.3' })
  expect(between).toEqual(before)
  expect(health.report()).toMatchObject({ ready: false, reasons: ['the process is stopping'] })
})

test('an event loop that stood still is reported for a while after it turns again', async () => {
  const clock = createManualClock()
  const health = createHealth({ version: '1.2.3', isStopping: () => false, clock })
  onTestFinished(health.begin([]))
  await clock.run(10_000)
  const turning = health.report().ready

  clock.advance(3_500)
  const stoodStill = health.report()
  await clock.run(4_000)
  const later = health.report()
  await clock.run(2_000)

  expect(turning).toBe(true)
  expect(stoodStill).toMatchObject({ ready: false, reasons: ['the event loop stood still'] })
  expect(later).toEqual(stoodStill)
  expect(health.report().ready).toBe(true)
})

test('health names the proxies in use, without their passwords', () => {
  const proxies = {
    telegram: openProxies('socks5://user:secret@proxy.lan:1080,http://other.lan:1'),
    upstream: openProxies('http://user:secret@proxy.lan:3128'),
  }
  const health = createHealth({
    version: '1.2.3',
    isStopping: () => false,
    proxies,
    clock: createManualClock(),
  })

  expect(health.report().proxies).toEqual({
    telegram: 'socks5://proxy.lan:1080',
    upstream: 'http://proxy.lan:3128',
  })
})

function openReach({ answers }: { answers: boolean }) {
  const clock = createManualClock()
  const askedMs: number[] = []
  const outside = { answers }
  const reach = createReach({
    clock,
    async ask() {
      askedMs.push(clock.now())
      if (!outside.answers) throw new Error('away')
      reach.recordAnswer()
    },
  })
  onTestFinished(reach.start())
  return { reach, clock, askedMs, outside }
}

test('a server that no other part asks is asked every 50 s, and counts as reached', async () => {
  const { reach, clock, askedMs } = openReach({ answers: true })

  await clock.run(149_000)

  expect(askedMs).toEqual([0, 50_000, 100_000])
  expect(reach.isReached()).toBe(true)
})

test('what answers others is not asked', async () => {
  const { reach, clock, askedMs } = openReach({ answers: true })

  for (let second = 0; second < 200; second += 45) {
    await clock.run(45_000)
    reach.recordAnswer()
  }

  expect(askedMs).toEqual([0])
})

test('what does not answer for a minute is not reached, and is again with its first answer', async () => {
  const { reach, clock, outside } = openReach({ answers: true })
  await clock.run(1_000)
  outside.answers = false

  await clock.run(58_000)
  const withinMinute = reach.isReached()
  await clock.run(2_000)
  const after = reach.isReached()
  outside.answers = true
  await clock.run(5_000)

  expect([withinMinute, after, reach.isReached()]).toEqual([true, false, true])
})
