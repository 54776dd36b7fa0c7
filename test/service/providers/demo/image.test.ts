import { describe, expect, test } from 'vitest'
import type { ImageRequest } from '../../../../src/contract/tasks.ts'
import { createDemoImageProvider } from '../../../../src/service/providers/demo/image.ts'
import { createStep } from '../generation-step.ts'
import { readPng } from './png-file.ts'

async function make(params: ImageRequest): Promise<Uint8Array> {
  const started = await createDemoImageProvider().start(params, 'key')
  const stored = JSON.parse(JSON.stringify(started))
  const state = await createDemoImageProvider().check(stored, createStep())
  if (state.status !== 'success') throw new Error(`Expected an image, got ${state.status}`)
  const [result, ...others] = state.results
  if (result?.type !== 'bytes' || others.length > 0) throw new Error('Expected one file of bytes')
  expect(result).toMatchObject({ contentType: 'image/png' })
  return result.bytes
}

describe('createDemoImageProvider()', () => {
  test.each<[ImageRequest, { width: number; height: number }]>([
    [{ prompt: 'a fox' }, { width: 1024, height: 1024 }],
    [
      { prompt: 'a fox', aspect_ratio: '1:1' },
      { width: 1024, height: 1024 },
    ],
    [
      { prompt: 'Лиса <&> \u0000 \ud800 שלום 🚀'.repeat(200), aspect_ratio: '16:9' },
      { width: 1280, height: 720 },
    ],
    [
      { prompt: 'щ'.repeat(5000), aspect_ratio: '9:16' },
      { width: 720, height: 1280 },
    ],
  ])(
    'draws the picture that was asked for, also from the stored operation',
    async (params, size) => {
      const picture = readPng(await make(params))

      expect(picture).toMatchObject(size)
      expect(picture.colours).toBeGreaterThan(500)
    },
  )

  test('draws the same prompt the same way, and another another way', async () => {
    const [fox, again, boat] = await Promise.all(
      ['a fox', 'a fox', 'a boat'].map((prompt) => make({ prompt })),
    )

    expect(again).toEqual(fox)
    expect(boat).not.toEqual(fox)
  })

  test('is stopped by the signal', async () => {
    const reason = new Error('stopping')
    const provider = createDemoImageProvider()
    const operation = await provider.start({ prompt: 'a fox' }, 'key')

    await expect(provider.check(operation, createStep(AbortSignal.abort(reason)))).rejects.toBe(
      reason,
    )
  })

  test('fails an operation that it cannot read', async () => {
    const state = await createDemoImageProvider().check({ prompt: 1 }, createStep())

    expect(state).toMatchObject({ status: 'fail', code: 500 })
  })
})
