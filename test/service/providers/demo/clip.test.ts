import { describe, expect, test } from 'vitest'
import {
  clipSize,
  planDemoClip,
  splitGraphemes,
} from '../../../../src/service/providers/demo/clip.ts'

describe('planDemoClip()', () => {
  test.each([
    [{ aspect_ratio: '1280:720' as const }, { width: 1280, height: 720 }],
    [{ aspect_ratio: '720:1280' as const }, { width: 720, height: 1280 }],
    [
      { aspect_ratio: '1280:720' as const, quality: '1080p' as const },
      { width: 1920, height: 1080 },
    ],
    [
      { aspect_ratio: '720:1280' as const, quality: '1080p' as const },
      { width: 1080, height: 1920 },
    ],
    [{ image_url: 'https://example.com/a.png' }, { width: 1280, height: 720 }],
  ])('makes of %o a clip of %o', (request, size) => {
    expect(clipSize(planDemoClip({ prompt: 'a fox', ...request }))).toEqual(size)
  })

  test('lasts 5 seconds in 720p when nothing else is asked for', () => {
    expect(planDemoClip({ prompt: 'a fox', aspect_ratio: '1280:720' })).toMatchObject({
      duration: 5,
      quality: '720p',
    })
  })

  test.each([
    [
      'keeps an ordinary prompt',
      'Рыжая лиса, a <red> & "quick" fox',
      'Рыжая лиса, a <red> & "quick" fox',
    ],
    ['makes one line of many', ' a\r\n\tb\u2028c ', 'a b c'],
    ['drops control characters', 'a\u0000\u0007\u009fb', 'a b'],
    ['drops marks that turn the reading direction', 'a\u202eb\u2066c', 'abc'],
    ['replaces halves of letters', 'a\ud800b', 'a\ufffdb'],
    ['drops emoji that the font lacks', 'go 🚀👩‍🚀🇷🇺 😀', 'go 😀'],
    ['shows an ellipsis when nothing is left', '🚀\u0000', '…'],
  ])('%s', (_, prompt, shown) => {
    expect(planDemoClip({ prompt }).prompt).toBe(shown)
  })

  test('cuts a long prompt with an ellipsis, between letters', () => {
    const { prompt } = planDemoClip({ prompt: 'e\u0301'.repeat(2500) })

    expect(prompt.endsWith('e\u0301…')).toBe(true)
    expect(splitGraphemes(prompt)).toHaveLength(401)
  })

  test('bounds the marks that one letter carries', () => {
    const { prompt } = planDemoClip({ prompt: `x${'\u0301'.repeat(4999)}` })

    expect(prompt.length).toBeLessThan(10)
  })

  test('can be stored in a JSON column whatever the prompt holds', () => {
    const { prompt } = planDemoClip({ prompt: 'a\u0000\ud800\uffff\u{10ffff}' })

    expect(prompt).not.toContain('\u0000')
    expect(prompt.isWellFormed()).toBe(true)
  })
})
