import { expect, test } from 'vitest'
import { createSilenceWatch } from '../../../../src/platform/database/instance/instance-silence.ts'

const row = (id: number, beatAt: string) => ({ id, beatAt, works: [] })

function look(
  { observe }: ReturnType<typeof createSilenceWatch>,
  { fromS, toS, beatAt }: { fromS: number; toS: number; beatAt: (second: number) => string },
): string[] {
  const silent: string[] = []
  for (let second = fromS; second <= toS; second++) {
    const rows = [row(1, `own ${second}`), row(2, beatAt(second))]
    for (const { id } of observe(rows, second * 1000)) silent.push(`${second}:${id}`)
  }
  return silent
}

// Promise: The clock of a process is hours off
test('a process that renews its row is never silent, also with a wrong clock', () => {
  const watch = createSilenceWatch()

  expect(look(watch, { fromS: 0, toS: 60, beatAt: (second) => `${-second}` })).toEqual([])
})

test('a process is silent when its row was the same for seven seconds', () => {
  const watch = createSilenceWatch()
  const beatAt = (second: number) => `${Math.min(second, 5)}`

  expect(look(watch, { fromS: 0, toS: 12, beatAt })).toEqual(['12:2'])
})

// Promise: PostgreSQL is killed and started again
test('an observer that itself saw nothing for a while gives the others a whole lease', () => {
  const watch = createSilenceWatch()
  look(watch, { fromS: 0, toS: 5, beatAt: () => 'same' })

  expect(look(watch, { fromS: 30, toS: 37, beatAt: () => 'same' })).toEqual(['37:2'])
})

test('an observer that has just begun gives the others a whole lease', () => {
  const watch = createSilenceWatch()

  expect(look(watch, { fromS: 0, toS: 7, beatAt: () => 'same' })).toEqual(['7:2'])
})
