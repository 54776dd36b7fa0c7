import { expect, test } from 'vitest'
import { chooseOthers } from '../../../../src/bot/talk/reply/choose-others.ts'

const LIST = [
  { id: 'large', costMicroRub: 150n },
  { id: 'small', costMicroRub: 30n },
  { id: 'huge', costMicroRub: 300n },
  { id: 'medium', costMicroRub: 80n },
]

test.each([
  ['large', ['small', 'medium', 'huge']],
  ['small', ['medium', 'large', 'huge']],
  ['gone', ['small', 'medium', 'large', 'huge']],
])('beside "%s" the others are offered, the cheapest first', (model, others) => {
  expect(chooseOthers(model, LIST).map(({ id }) => id)).toEqual(others)
})

test.each([
  ['in the middle of a long list', 5n, [2, 3, 4, 6, 7, 8]],
  ['at its cheap end', 1n, [2, 3, 4, 5, 6, 7]],
  ['at its dear end', 9n, [3, 4, 5, 6, 7, 8]],
])('a model %s is offered with its neighbours in price', (_where, own, others) => {
  const list = [9, 1, 8, 2, 7, 3, 6, 4, 5].map((cost) => ({
    id: `${cost}`,
    costMicroRub: BigInt(cost),
  }))

  expect(chooseOthers(`${own}`, list).map(({ id }) => Number(id))).toEqual(others)
})

test('of models at one price none is left out, and where there is no other none is offered', () => {
  const [large] = LIST
  const same = [...LIST.slice(0, 1), { id: 'twin', costMicroRub: 150n }]

  expect(chooseOthers('large', same).map(({ id }) => id)).toEqual(['twin'])
  expect(chooseOthers('twin', same).map(({ id }) => id)).toEqual(['large'])
  expect(chooseOthers('large', large ? [large] : [])).toEqual([])
})
