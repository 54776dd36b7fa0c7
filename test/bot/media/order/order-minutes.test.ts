import { expect, test } from 'vitest'
import { createMediaSetup, USER_ID, waitFor } from '../media-setup.ts'

const MINUTE_MS = 60_000

// Promise: Two processes poll one clip
test('two processes that poll a clip by turns show its minutes once', async () => {
  const { database, playground, service, startProcess, command, waitForOrder } =
    await createMediaSetup()
  const { orders } = await startProcess()
  await startProcess()
  const given = command()
  await orders.create(given)
  // The order records that the words of its first minute are shown.
  await waitForOrder(given, ({ statusDueAt, generatingAt }) => {
    return Number(statusDueAt) - Number(generatingAt) > MINUTE_MS / 2
  })

  await database.prisma.$executeRaw`
    UPDATE bot."order" SET generating_at = now() - interval '3 minutes', status_due_at = now()`
  await playground.waitFor(() =>
    playground
      .transcript(USER_ID)[1]
      ?.text?.includes('The clip is being made: 3 of about 5–15 minutes.'),
  )
  const polled = service.polls.length
  await waitFor(() => service.polls.length > polled + 20)

  const edits = playground.calls.filter(({ params }) => String(params.text).includes('3 of about'))
  expect(edits).toHaveLength(1)
})
