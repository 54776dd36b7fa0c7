import { expect, test } from 'vitest'
import {
  type Bar,
  type BarChart,
  drawBarChart,
  formatShortRub,
} from '../../../../src/bot/spend/charts/bar-chart.ts'

function draw(roubles: readonly number[], other: Partial<BarChart> = {}): string {
  const bars: Bar[] = roubles.map((rub, index) => ({
    label: `bar ${index}`,
    amount: `${rub} R`,
    parts: [{ microRub: BigInt(Math.round(rub * 1e6)), fill: 'currentColor' }],
  }))
  const words = { language: 'en', description: 'Spend by day', emptyText: 'No spend' } as const
  return drawBarChart({ bars, widthPx: 300, ...words, ...other })
}

function textsOf(svg: string): string[] {
  return Array.from(svg.matchAll(/<text[^>]*>([^<]*)</g), ([, text = '']) => text)
}

function barsOf(svg: string) {
  return Array.from(svg.matchAll(/<rect class="chart-bar" ([^>]*)\/>/g), ([, attributes = '']) =>
    Object.fromEntries(
      Array.from(attributes.matchAll(/(\w+)="([\d.-]+)%?"/g), ([, name = '', value]) => [
        name,
        Number(value),
      ]),
    ),
  )
}

test('the axis has round amounts from zero, and the highest bar has its amount', () => {
  expect(textsOf(draw([10, 47, 30]))).toEqual([
    ...['₽0', '₽20', '₽40', '₽60', '47 R'],
    ...['bar 0', 'bar 1', 'bar 2'],
  ])
})

test('bars are as high as their amounts', () => {
  const [low, high] = barsOf(draw([20, 60]))

  expect(high?.height).toBeCloseTo(3 * (low?.height ?? 0), 1)
})

test.each([
  ['no bars', []],
  ['bars of zero', [0, 0, 0]],
])('a chart of %s has a sentence and no axis', (_, roubles) => {
  const svg = draw(roubles)

  expect(textsOf(svg)[0]).toBe('No spend')
  expect(svg).not.toContain('<line')
  expect(svg).not.toContain('NaN')
})

test('a single bar does not fill the chart', () => {
  const [bar] = barsOf(draw([5]))

  expect(bar?.width).toBeLessThan(30)
})

test('bars of a thousand million roubles have a short axis', () => {
  expect(textsOf(draw([1e9, 3e8]))).toEqual(expect.arrayContaining(['₽500M', '₽1B']))
})

test('bars of less than a kopeck have an axis of different amounts', () => {
  const ticks = textsOf(draw([0.002, 0.001])).filter((text) => text.startsWith('₽'))

  expect(ticks).toEqual(['₽0', '₽0.0005', '₽0.001', '₽0.0015', '₽0.002'])
})

// Promise: One day is enormous
test('a bar four times as high as all others is cut, and the others stay readable', () => {
  const whole = draw([10, 39, 12])
  const cut = draw([10, 1_000_000, 12])

  expect(whole).not.toContain('chart-cut')
  expect(cut.match(/chart-cut/g)).toHaveLength(1)
  expect(barsOf(cut)[0]?.height).toBeGreaterThan(40)
  expect(barsOf(cut)[1]?.y).toBeGreaterThan(0)
  expect(textsOf(cut)).toContain('1000000 R')
})

test('an amount below zero hangs below the axis', () => {
  const svg = draw([80, -40])
  const [above, below] = barsOf(svg)

  expect(below?.y).toBeCloseTo((above?.y ?? 0) + (above?.height ?? 0), 1)
  expect(textsOf(svg)).toContain('-₽50')
})

test('parts of a bar are stacked', () => {
  const part = { microRub: 1_000_000n, fill: '#123456' }
  const bars = [{ label: '', amount: '', parts: [part, { ...part, microRub: 3_000_000n }] }]
  const [lower, upper] = barsOf(draw([], { bars }))

  expect(upper?.height).toBeCloseTo(3 * (lower?.height ?? 0), 1)
  expect((upper?.y ?? 0) + (upper?.height ?? 0)).toBeCloseTo(lower?.y ?? 0, 1)
})

test.each([1, 2, 5, 7, 30, 53, 92])('of %d bars at most four are labelled', (count) => {
  const labels = textsOf(draw(Array(count).fill(1))).filter((text) => text.startsWith('bar'))

  expect(labels.length).toBeGreaterThan(0)
  expect(labels.length).toBeLessThanOrEqual(4)
})

test('without a width a chart is as wide as its container, in percentages', () => {
  const svg = draw([1, 2], { widthPx: undefined })

  expect(svg).toContain('width="100%"')
  expect(svg).toMatch(/class="chart-bar" x="[\d.]+%" width="[\d.]+%"/)
})

test('hostile texts stay text, and characters that XML forbids are removed', () => {
  const hostile = `"><script>'&\u0000\ud800</svg>`
  const bar = { label: hostile, period: hostile, amount: hostile }
  const bars = [{ ...bar, parts: [{ microRub: 1n, fill: hostile }] }]
  const svg = draw([], { bars, description: hostile })

  expect(svg).not.toMatch(/<script|[\ud800-\udfff]/)
  expect(svg).not.toContain('\u0000')
  expect(svg.match(/<\/svg>/g)).toHaveLength(1)
  expect(textsOf(svg)).toContain(`&quot;&gt;&lt;script&gt;'&amp;&lt;/svg&gt;`)
})

test('a chart has a text alternative and a tooltip for each bar', () => {
  const svg = draw([1, 2], { description: 'Spend & more' })

  expect(svg).toContain('role="img" aria-label="Spend &amp; more"')
  expect(svg).toContain('<title>bar 1: 2 R</title>')
})

test('a chart needs no inline style, which a content security policy would refuse', () => {
  expect(draw([1, 2, 100])).not.toMatch(/style[ =>]/)
})

test.each([
  [0, '₽0'],
  [0.005, '₽0.005'],
  [0.5, '₽0.50'],
  [7.5, '₽7.50'],
  [60, '₽60'],
  [85.19, '₽85.19'],
  [185.19, '₽185'],
  [9999.5, '₽10,000'],
  [12_512, '₽12.5K'],
])('an amount of %d beside an axis has kopecks whole or not at all: %s', (rub, text) => {
  expect(formatShortRub(rub, 'en')).toBe(text)
})

test('an amount beside an axis is written in Russian', () => {
  expect(formatShortRub(12_512, 'ru')).toBe('12,5\u00a0тыс.\u00a0₽')
})
