import { describe, expect, test } from 'vitest'
import type { SoundRequest } from '../../../../src/contract/tasks.ts'
import { createDemoSoundProvider } from '../../../../src/service/providers/demo/sound.ts'
import { createStep } from '../generation-step.ts'
import { readWav } from './wav-file.ts'

async function make(params: SoundRequest): Promise<Uint8Array> {
  const started = await createDemoSoundProvider().start(params, 'key')
  const stored = JSON.parse(JSON.stringify(started))
  const state = await createDemoSoundProvider().check(stored, createStep())
  if (state.status !== 'success') throw new Error(`Expected a sound, got ${state.status}`)
  const [result, ...others] = state.results
  if (result?.type !== 'bytes' || others.length > 0) throw new Error('Expected one file of bytes')
  expect(result).toMatchObject({ contentType: 'audio/wav' })
  return result.bytes
}

describe('createDemoSoundProvider()', () => {
  test.each([
    [undefined, 5],
    [1, 1],
    [30, 30],
  ])('plays for exactly as long as was asked: %s', async (duration, seconds) => {
    const sound = readWav(await make({ prompt: 'a fox', ...(duration && { duration }) }))

    expect(sound.durationSeconds).toBe(seconds)
  })

  test('can be heard all the way, is never clipped, and begins and ends without a click', async () => {
    const { samples } = readWav(await make({ prompt: 'Лиса 🦊', duration: 7 }))

    const loudness = Array.from({ length: 14 }, (_, half) => {
      const part = samples.subarray(
        (half * samples.length) / 14,
        ((half + 1) * samples.length) / 14,
      )
      return Math.sqrt(part.reduce((sum, sample) => sum + sample ** 2, 0) / part.length)
    })
    expect(Math.min(...loudness)).toBeGreaterThan(2000)
    expect(samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)).toBeLessThan(
      32_767,
    )
    expect([samples[0], samples.at(-1)].map((sample) => Math.abs(sample ?? 1e6) < 100)).toEqual([
      true,
      true,
    ])
  })

  test('plays the same prompt the same way, and another another way', async () => {
    const [fox, again, boat] = await Promise.all(
      ['a fox', 'a fox', 'a boat'].map((prompt) => make({ prompt, duration: 1 })),
    )

    expect(again).toEqual(fox)
    expect(boat).not.toEqual(fox)
  })

  test('fails an operation that it cannot read', async () => {
    const state = await createDemoSoundProvider().check({ notes: [] }, createStep())

    expect(state).toMatchObject({ status: 'fail', code: 500 })
  })
})
