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

test('a picture has amounts and dates as they are written in Russian', () => {
  const texts = textsOf(
    drawCard(chartOf(everyDay, { language: 'ru', title: 'Расходы за 30 дней' })),
  )

  expect(texts).toEqual(
    expect.arrayContaining(['Расходы за 30 дней', '975,00\u00a0₽', '735,00\u00a0₽', '19 нояб.']),
  )
})

test('the highest bar of kopecks is labelled with the amount that the sum shows', () => {
  const texts = textsOf(
    drawCard(chartOf(daysWith((index) => ({ answer: index === 7 ? 0.7239 : 0 })))),
  )

  expect(texts.filter((text) => text.includes('0.72'))).toEqual(['₽0.72', '₽0.72', '₽0.72'])
})

test('each kind has a pattern that differs without its colour; that of answers is plain', () => {
  const patterns = drawCard(chartOf(everyDay)).match(/<pattern [\s\S]*?<\/pattern>/g) ?? []
  const shapes = patterns.map((pattern) => pattern.replace(/ (?:id|fill)="[^"]*"/g, ''))

  expect(new Set(shapes).size).toBe(6)
  expect(shapes.filter((shape) => shape.match(/<(?:rect|circle)/g)?.length === 1)).toHaveLength(1)
})

test('a kind that cost nothing is left out', () => {
  const texts = textsOf(drawCard(chartOf(daysWith(() => ({ answer: 1 })))))

  expect(texts).toContain('Answers')
  expect(texts).not.toContain('Clips')
})

test('a picture of nothing says so', () => {
  const texts = textsOf(drawCard(chartOf(daysWith(() => ({})))))

  expect(texts).toEqual(expect.arrayContaining(['₽0.00', 'No spend', '11 Nov']))
})

test('users stand in their order with their amounts, and a long name is cut', () => {
  const rows = [
    { name: 'Константин Константинопольский', amountMicroRub: 1_234_567_890_120_000n },
    { name: 'Łukasz', amountMicroRub: 5_000_000n },
  ]
  const texts = textsOf(drawCard(chartOf(everyDay, { users: { title: 'Top spenders', rows } })))

  expect(texts).toEqual(expect.arrayContaining(['Top spenders', 'Łukasz', '₽1,234,567,890.12']))
  expect(texts.find((text) => text.startsWith('Конст'))).toMatch(/^Констан.*…$/)
})

test('what stands in a name is text in the picture', () => {
  const rows = [{ name: '<b>&"x', amountMicroRub: 1n }]

  const svg = drawCard(chartOf(everyDay, { users: { title: 'Users', rows } }))

  expect(svg).toContain('&lt;b')
  expect(svg).not.toContain('<b>')
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

test('a kind of which all came back is drawn, with nothing', () => {
  const days = daysWith((index) => ({ answer: 5, video: index === 3 ? 40 : index === 9 ? -40 : 0 }))

  expect(textsOf(drawCard(chartOf(days)))).toEqual(expect.arrayContaining(['Clips', '₽0.00']))
})
