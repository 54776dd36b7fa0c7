import { expect, test } from 'vitest'
import { estimateCost, estimateSeconds } from '../../../src/cli/conformance/cost.ts'

const OPTIONS = {
  isFree: false,
  withVideo: false,
  withLimits: false,
  model: undefined,
  callbackUrl: 'http://127.0.0.1:1',
  otherApiKey: undefined,
  privateName: undefined,
  isThorough: false,
  provoke: {},
  mostMicroRub: undefined,
  settleMs: 0,
}
const PRICES = new Map([
  ['imagegen', 5_000_000n],
  ['soundgen', 7_000_000n],
])

test.each([
  ['images/imagegen-generate', 15_000_000n],
  ['sounds/soundgen-generate', 21_000_000n],
  ['images/other-generate', undefined],
])('creations at %s are estimated at its own price', (path, microRub) => {
  const options = { ...OPTIONS, creation: { path, body: {} } }

  const items = estimateCost(options, { model: undefined, prices: PRICES })

  expect(items[2]).toEqual({ what: `3 of /${path}, if it is there`, microRub })
})

test('a chat is estimated as a service would charge it that rounds up to kopecks', () => {
  const options = { ...OPTIONS, creation: { path: 'images/imagegen-generate', body: {} } }
  const prices = { promptMicroRubPer1m: 40_000_000n, completionMicroRubPer1m: 100_000_000n }

  const [chats] = estimateCost(options, { model: { id: 'm', ...prices }, prices: PRICES })

  // 200 tokens in and 64 out take 0.0144 roubles: two kopecks, twice.
  expect(chats).toEqual({ what: '2 chats of m', microRub: 40_000n })
})

test.each([
  [{ isFree: true }, 5],
  [{}, 15],
  [{ withVideo: true }, 80],
  [{ withLimits: true }, 155],
  [{ withLimits: true, otherApiKey: 'key' }, 70],
])('a run with %j takes about %i s', (changes, seconds) => {
  const creation = { path: 'images/imagegen-generate', body: {} }

  expect(estimateSeconds({ ...OPTIONS, creation, callbackUrl: undefined, ...changes })).toBe(
    seconds,
  )
})
