import { expect, test } from 'vitest'
import { measureUndisturbed } from './disturbance.ts'

/** Others that take these parts of the machine, one after the other. */
function watching(parts: readonly number[]) {
  const left = [...parts]
  return async <T>(work: () => Promise<T>) => ({ result: await work(), others: left.shift() })
}

test.each([
  ['a quiet measurement counts', [0.01], 1, 0.01, 0],
  ['a disturbed one is made again', [0.2, 0.02], 2, 0.02, 1],
  ['of those that stay disturbed the least disturbed one counts', [0.2, 0.1, 0.3], 2, 0.1, 2],
])('%s', async (_name, parts, run, others, repeats) => {
  let runs = 0
  const measure = async () => {
    runs += 1
    return runs
  }

  await expect(measureUndisturbed(measure, watching(parts))).resolves.toEqual({
    run,
    others,
    repeats,
  })
})

test('others take a part of the machine, of which what the bench does is none', async () => {
  const spin = async () => {
    const begunAt = process.cpuUsage().user
    while (process.cpuUsage().user - begunAt < 50_000);
  }

  const { others } = await measureUndisturbed(spin)

  expect(others).toBeGreaterThanOrEqual(0)
  expect(others).toBeLessThanOrEqual(1)
})
