import { expect, test } from 'vitest'
import { contrastOf, themeSheet } from '../../../../src/bot/admin/page/theme.ts'

/** A dark theme like Telegram's; its hint is harder to read than ours may be. */
const THEME = {
  bg_color: '#17212b',
  secondary_bg_color: '#232e3c',
  section_bg_color: '#17212b',
  text_color: '#f5f5f5',
  hint_color: '#5c6670',
  button_color: '#5288c1',
  button_text_color: '#ffffff',
}

// Promise: Colours of a Telegram theme cannot be read on each other
test('the page takes the colours of a theme, and makes those readable that are not', () => {
  const sheet = themeSheet(new URLSearchParams(THEME))

  const colourOf = (name: string) => new RegExp(`--${name}: (#\\w+);`).exec(sheet)?.[1] ?? ''
  expect(sheet).toContain('color-scheme: dark;')
  expect(colourOf('card')).toBe(THEME.section_bg_color)
  expect(colourOf('text')).toBe(THEME.text_color)
  expect(contrastOf(THEME.hint_color, THEME.secondary_bg_color)).toBeLessThan(4.5)
  expect(contrastOf(colourOf('hint'), colourOf('page'))).toBeGreaterThanOrEqual(4.5)
  expect(contrastOf(colourOf('on-button'), colourOf('button'))).toBeGreaterThanOrEqual(4.5)
})

test('a value that is no colour does not reach the style sheet', () => {
  expect(themeSheet(new URLSearchParams({ bg_color: 'red; } body { display: none' }))).toBe('')
  expect(themeSheet(new URLSearchParams({ bg_color: '#ffffff', text_color: '}' }))).not.toContain(
    '}}',
  )
})
