import { expect, test } from 'vitest'
import { json } from '../fake-service.ts'
import { createMediaSetup, USER_ID } from '../media-setup.ts'

test('an order of a kind that the service does not make ends in a sentence, and closes the kind', async () => {
  const { playground, service, startProcess, command, waitForOrder, charges } =
    await createMediaSetup()
  service.decideCreations(() => json(404, { detail: 'Not found' }))
  const { orders } = await startProcess()
  const media = { kind: 'image', request: { prompt: 'a fox' } } as const
  const given = { ...command(), media, label: 'imagegen' }

  await orders.create(given)
  const order = await waitForOrder(given, ({ endedAt }) => endedAt !== null)

  expect(order).toMatchObject({ state: 'failed', errorCode: 404 })
  expect(await charges()).toEqual([])
  expect(playground.transcript(USER_ID).at(-1)?.text).toBe(
    'picture, square\nNothing of this kind can be made here. Nothing was ordered or charged.',
  )
  expect(orders.isClosed('image')).toBe(true)
  expect(orders.isClosed('video')).toBe(false)
})
