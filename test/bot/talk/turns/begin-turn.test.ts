import { expect, test } from 'vitest'
import { TAKE_SLOTS } from '../../../../src/bot/queue/stored-queue.ts'
import { BEGIN_TURN } from '../../../../src/bot/talk/turns/begin-turn.ts'

test('a turn that begins takes its slot by the rule of the queue', () => {
  const oneLine = (sql: string) => sql.replaceAll(/\s+/g, ' ').trim()

  expect(oneLine(BEGIN_TURN).replace('EXISTS (SELECT FROM begun) AND ', '')).toContain(
    oneLine(TAKE_SLOTS),
  )
})
