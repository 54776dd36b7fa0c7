import { describe, expect, test } from 'vitest'
import type { DemoClip } from '../../../src/service/providers/demo-clip.ts'
import {
  drawStill,
  escapeXml,
  layOut,
  wrapText,
} from '../../../src/service/providers/demo-picture.ts'

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

describe('wrapText()', () => {
  test('breaks between words', () => {
    expect(wrapText('one two three four', 5)).toEqual(['one two', 'three', 'four'])
  })

  test('breaks a word that is longer than a line, and loses nothing', () => {
    const lines = wrapText(`go ${'щ'.repeat(40)} on`, 8)

    expect(lines.length).toBeGreaterThan(5)
    expect(lines.join('').replaceAll(' ', '')).toBe(`go${'щ'.repeat(40)}on`)
  })

  test('takes a letter wider than a line as a line', () => {
    expect(wrapText('щщ', 0.1)).toEqual(['щ', 'щ'])
  })
})

test('escapeXml() leaves nothing that opens a tag, an entity or an attribute', () => {
  expect(escapeXml('<a b="c">&</a>')).toBe('&lt;a b=&quot;c&quot;&gt;&amp;&lt;/a&gt;')
})
