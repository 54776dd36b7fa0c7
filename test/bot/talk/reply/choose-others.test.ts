import { expect, test } from 'vitest'
import { chooseOthers } from '../../../../src/bot/talk/reply/choose-others.ts'

const LIST = [
  { id: 'large', costMicroRub: 150n },
  { id: 'small', costMicroRub: 30n },
  { id: 'huge', costMicroRub: 300n },
  { id: 'medium', costMicroRub: 80n },
]

test.each([
  ['in the middle of the list', 'large', ['medium', 'huge']],
  ['at its cheap end', 'small', ['medium', 'large']],
  ['at its dear end', 'huge', ['large', 'medium']],
  ['that is not on it any more', 'gone', ['small', 'medium']],
])('a model %s is offered with its neighbours in price', (_where, model, others) => {
  expect(chooseOthers(model, LIST).map(({ id }) => id)).toEqual(others)
})

test('of models at one price none is left out, and where there is no other none is offered', () => {
  const [large] = LIST
  const same = [...LIST.slice(0, 1), { id: 'twin', costMicroRub: 150n }]

  expect(chooseOthers('large', same).map(({ id }) => id)).toEqual(['twin'])
  expect(chooseOthers('twin', same).map(({ id }) => id)).toEqual(['large'])
  expect(chooseOthers('large', large ? [large] : [])).toEqual([])
})
