import { expect, test } from 'vitest'
import { createEndings } from '../../../src/service/chat/endings.ts'

test('an end that the database did not take is reported once, and written at a later retry(), once', async () => {
  const errors: string[] = []
  const log = { error: ({ err }: { err: Error }) => void errors.push(err.message) }
  const endings = createEndings()
  let isAway = true
  let written = 0
  const end = async () => {
    if (isAway) throw new Error('away')
    written += 1
    return true
  }

  await endings.write(end, log)
  await endings.retry()
  isAway = false
  await endings.retry()
  await endings.retry()

  expect(errors).toEqual(['away'])
  expect(written).toBe(1)
})
