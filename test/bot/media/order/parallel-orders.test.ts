import { expect, test } from 'vitest'
import { createMediaSetup, USER_ID, waitFor } from '../media-setup.ts'

test('of one user no more orders than the limit are at the service, over two processes, and all are made', async () => {
  const { service, startProcess, command, waitForOrder } = await createMediaSetup({
    parallelMax: 2,
  })
  const processes = [await startProcess(), await startProcess()]
  const given = Array.from({ length: 10 }, () => command())
  const atService: number[] = []

  await Promise.all(given.map((one, index) => processes[index % 2]?.orders.create(one)))
  for (let made = 0; made < given.length; made++) {
    await waitFor(() => service.creations.length > made)
    atService.push(service.creations.length - made)
    service.succeeds(made + 1)
  }

  for (const one of given) await waitForOrder(one, ({ state }) => state === 'delivered')
  expect(service.creations).toHaveLength(given.length)
  expect(Math.max(...atService)).toBe(2)
})

test('the user of an order beyond the limit reads that it waits, and it goes on at once when another ends', async () => {
  const { playground, service, startProcess, command, waitForOrder } = await createMediaSetup({
    parallelMax: 1,
  })
  const { orders } = await startProcess()
  const [first, second, third] = [command(), command(), command()]
  await orders.create(first)
  await waitForOrder(first, ({ state }) => state === 'generating')

  await orders.create(second)
  await orders.create(third)
  const says = (words: string) =>
    playground.transcript(USER_ID).filter(({ text }) => text?.includes(words)).length
  await playground.waitFor(() => says('Waiting until one of your other orders is done.') === 2)
  expect(service.creations).toHaveLength(1)
  service.fails(1, { code: 1, message: 'No' })

  await waitForOrder(second, ({ state }) => state === 'generating')
  await waitForOrder(third, ({ state }) => state === 'waiting')
  service.succeeds(2)
  await waitForOrder(third, ({ state }) => state === 'generating')
})
