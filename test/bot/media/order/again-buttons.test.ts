import { expect, test } from 'vitest'
import { createMediaSetup, USER_ID } from '../media-setup.ts'

test('below a clip stands what can be ordered after it, each with its price, and the shape in a row of its own', async () => {
  const { playground, service, startProcess, command, waitForOrder } = await createMediaSetup()
  const { orders } = await startProcess()
  const given = command()
  service.succeeds(1)

  await orders.create(given)
  await waitForOrder(given, ({ state }) => state === 'delivered')

  const clip = playground.transcript(USER_ID).find(({ video }) => video !== undefined)
  expect(namesOf(clip)).toEqual([['Again · ₽40.00', '10 s · ₽80.00'], ['Vertical · ₽40.00']])
})

function namesOf(message: { replyMarkup?: unknown } | undefined) {
  const { inline_keyboard: rows = [] } = (message?.replyMarkup ?? {}) as {
    inline_keyboard?: { text: string }[][]
  }
  return rows.map((row) => row.map(({ text }) => text))
}
