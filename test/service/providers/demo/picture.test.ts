import { describe, expect, test } from 'vitest'
import {
  type DemoPicture,
  drawDemoPicture,
} from '../../../../src/service/providers/demo/picture.ts'

const PICTURE: DemoPicture = { width: 1280, height: 720, caption: '720p · 5 s', text: 'a fox' }

describe('drawDemoPicture()', () => {
  test('shows the word demo, the caption and the text', () => {
    const svg = drawDemoPicture(PICTURE)

    expect(svg).toContain('>demo</text>')
    expect(svg).toContain('>720p · 5 s</text>')
    expect(svg).toContain('>a fox</text>')
  })

  test('lets no text out of its element', () => {
    const svg = drawDemoPicture({
      ...PICTURE,
      text: '</text><image href="x"/> &amp;',
    })

    expect(svg).not.toContain('<image')
    expect(svg).toContain('&amp;amp;')
  })

  test.each([
    { width: 1280, height: 720 },
    { width: 1080, height: 1920 },
  ])('ends a text that does not fit with an ellipsis, inside the panel: %o', (size) => {
    const svg = drawDemoPicture({ ...PICTURE, ...size, text: 'Щ'.repeat(900) })

    const baselines = Array.from(svg.matchAll(/ y="([\d.]+)" text-anchor/g), ([, y]) => Number(y))
    expect(svg).toContain('Щ…</text>')
    expect(Math.max(...baselines)).toBeLessThan(size.height * 0.74)
  })

  test('draws each moment of a clip another way', () => {
    const moments = [0, 0.5, 1].map((progress) => drawDemoPicture({ ...PICTURE, progress }))

    expect(new Set(moments).size).toBe(3)
  })
})
