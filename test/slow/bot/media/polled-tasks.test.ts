import { expect, test } from 'vitest'
import { gated, json } from '../../../bot/media/fake-service.ts'
import { createMediaSetup, waitFor } from '../../../bot/media/media-setup.ts'

const GENERATING = { status: 'generating', result_urls: null, error: null }
/** The service's clock has whole milliseconds. */
const ROUNDING_MS = 1

async function makeOrders(setup: Awaited<ReturnType<typeof createMediaSetup>>, count: number) {
  const started = await setup.startProcess({ pollMs: POLL_MS })
  const given = Array.from({ length: count }, () => setup.command())
  for (const one of given) await started.orders.create(one)
  for (const one of given) await setup.waitForOrder(one, ({ state }) => state === 'generating')
  return started
}

const POLL_MS = 400

test('polls of a task are never closer than they may be, while processes come, die, stop and hang', async () => {
  const setup = await createMediaSetup()
  const { service, startProcess } = setup
  let current = await makeOrders(setup, 12)
  const morePolls = async (count: number) => {
    const from = service.polls.length
    await waitFor(() => service.polls.length >= from + count)
  }

  for (let round = 0; round < 4; round += 1) {
    const next = await startProcess({ pollMs: POLL_MS })
    const held = gated(json(200, GENERATING))
    service.pollAnswers.push(held.answer)
    await morePolls(30)
    await (round % 2 === 0 ? current.crash() : current.stop())
    await morePolls(5)
    held.open()
    current = next
  }

  const closest = Array.from(Map.groupBy(service.polls, ({ taskId }) => taskId).values(), (polls) =>
    Math.min(...polls.slice(1).map(({ at }, index) => at - (polls[index]?.at ?? 0))),
  )
  expect(closest).toHaveLength(12)
  expect(Math.min(...closest)).toBeGreaterThanOrEqual(POLL_MS - ROUNDING_MS)
})

test('a poll that hangs delays no other: the rest goes on at its pace', async () => {
  const setup = await createMediaSetup()
  const { service } = setup
  const hanging = gated(json(200, GENERATING))
  service.pollAnswers.push(hanging.answer)
  await makeOrders(setup, 10)

  const pollsOf = () => Map.groupBy(service.polls, ({ taskId }) => taskId)
  await waitFor(() => [...pollsOf().values()].filter((polls) => polls.length >= 5).length === 9)

  expect([...pollsOf().values()].map(({ length }) => length).toSorted()).toContain(1)
  hanging.open()
  await waitFor(() => [...pollsOf().values()].every((polls) => polls.length >= 2))
})
