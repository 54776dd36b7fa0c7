import { expect, test } from 'vitest'
import { drawCard } from '../../../../src/bot/spend/charts/card.ts'
import { chartOf, daysWith } from './chart-days.ts'

const everyDay = daysWith((index) => ({ answer: 10 + index, video: index % 5 === 0 ? 40 : 0 }))

test('a picture has its sum, its kinds with their amounts and dates, in English', () => {
  const texts = textsOf(drawCard(chartOf(everyDay)))

  expect(texts).toEqual(
    expect.arrayContaining(['Your spend, last 30 days', '₽975.00', 'Answers', '₽735.00', 'Clips']),
  )
  expect(texts).toEqual(expect.arrayContaining(['₽240.00', '₽0', '11 Nov', '19 Nov']))
})

function textsOf(svg: string): string[] {
  return Array.from(svg.matchAll(/<text[^>]*>([^<]*)</g), ([, text = '']) => text)
}

test('what each kind and user came to adds up to the sum as it is shown', () => {
  const days = daysWith((index) =>
    index === 0 ? { answer: 1.004, video: 1.004, image: 1.004 } : {},
  )

  const texts = textsOf(drawCard(chartOf(days)))

  expect(texts).toContain('₽3.01')
  expect(texts.filter((text) => text === '₽1.00')).toHaveLength(2)
  expect(texts).toContain('₽1.01')
})
