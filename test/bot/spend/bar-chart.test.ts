import { expect, test } from 'vitest'
import { type Bar, type BarChart, drawBarChart } from '../../../src/bot/spend/bar-chart.ts'
import { drawCard, type SpendChart } from '../../../src/bot/spend/card.ts'

function draw(roubles: readonly number[], other: Partial<BarChart> = {}): string {
  const bars: Bar[] = roubles.map((rub, index) => ({
    label: `bar ${index}`,
    amount: `${rub} R`,
    parts: [{ microRub: BigInt(Math.round(rub * 1e6)), fill: 'currentColor' }],
  }))
  const words = { language: 'en', description: 'Spend by day', emptyText: 'No spend' } as const
  return drawBarChart({ bars, ...words, ...other })
}

function textsOf(svg: string): string[] {
  return Array.from(svg.matchAll(/<text[^>]*>([^<]*)</g), ([, text = '']) => text)
}

test('the axis has round amounts from zero', () => {
  expect(textsOf(draw([10, 47, 30]))).toEqual([
    ...['₽0', '₽20', '₽40', '₽60'],
    ...['bar 0', 'bar 1', 'bar 2'],
  ])
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

function cardOf(kinds: SpendChart['kinds']): string {
  const day = {
    day: '2026-11-11',
    amountMicroRub: 5_000_000n,
    byKind: new Map([['answer', 5_000_000n]] as const),
  }
  const words = { language: 'en', title: 'Your spend', emptyText: 'No spend' } as const
  return drawCard({ ...words, days: [day], kinds })
}

test('a picture has its sum, its kinds with their amounts, and dates', () => {
  const texts = textsOf(
    cardOf([
      { kind: 'answer', name: 'Answers', amountMicroRub: 735_000_000n },
      { kind: 'video', name: 'Videos', amountMicroRub: 240_000_000n },
    ]),
  )

  expect(texts).toEqual(
    expect.arrayContaining(['Your spend', '₽975.00', 'Answers', '₽735.00', 'Videos', '₽240.00']),
  )
  expect(texts).toEqual(expect.arrayContaining(['₽0', '11 Nov']))
})

test('what each kind came to adds up to the sum as it is shown', () => {
  const kinds = (['answer', 'video', 'image'] as const).map((kind) => {
    return { kind, name: kind, amountMicroRub: 1_004_000n }
  })

  const texts = textsOf(cardOf(kinds))

  expect(texts).toContain('₽3.01')
  expect(texts.filter((text) => text === '₽1.00')).toHaveLength(2)
  expect(texts).toContain('₽1.01')
})
