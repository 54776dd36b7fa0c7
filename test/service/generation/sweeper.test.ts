import { expect, test } from 'vitest'
import { createSweeper } from '../../../src/service/generation/sweeper.ts'

test('a sweep goes on behind the last task of a full one, and begins anew at the end', async () => {
  const asked: number[] = []
  const full = Array.from({ length: 500 }, (_, index) => index + 1)
  const pages = [full, [501], []]
  const sent: string[] = []
  const sweeper = createSweeper({
    tasks: {
      findLeaseless: async ({ afterId }) => {
        asked.push(afterId)
        return pages.shift() ?? []
      },
    },
    jobs: { send: async (_queue, id) => void sent.push(id) },
    log: { error: () => {} },
  })

  const more = [await sweeper.sweep(), await sweeper.sweep(), await sweeper.sweep()]

  expect(more).toEqual([true, false, false])
  expect(asked).toEqual([0, 500, 0])
  expect(sent).toHaveLength(501)
})
