import { describe, expect, test } from 'vitest'
import type { DemoClip } from '../../../../src/service/providers/demo/clip.ts'
import { drawStill, layOut } from '../../../../src/service/providers/demo/picture.ts'

const CLIP: DemoClip = {
  prompt: 'a fox',
  duration: 5,
  quality: '720p',
  upright: false,
  fromImage: false,
}

describe('drawStill()', () => {
  test('shows the prompt, the word demo and what was asked for', () => {
    const svg = drawStill({ ...CLIP, fromImage: true })

    expect(svg).toContain('>demo</text>')
    expect(svg).toContain('>a fox</text>')
    expect(svg).toContain('>image to video · 720p · 5 s</text>')
  })

  test('lets no prompt out of its text', () => {
    const svg = drawStill({ ...CLIP, prompt: '</text><image href="file:///etc/passwd"/>&amp;' })

    expect(svg).not.toContain('<image')
    expect(svg).toContain('&amp;amp;')
  })

  test.each([
    { upright: false, quality: '720p' as const },
    { upright: true, quality: '1080p' as const },
  ])('ends a prompt that does not fit with an ellipsis, above the band: %o', (shape) => {
    const clip = { ...CLIP, ...shape, prompt: 'Щ'.repeat(400) }

    const svg = drawStill(clip)

    const baselines = Array.from(svg.matchAll(/ y="([\d.]+)" text-anchor/g), ([, y]) => Number(y))
    expect(svg).toContain('Щ…</text>')
    expect(Math.max(...baselines)).toBeLessThan(layOut(clip).band.top)
  })
})
