import { expect, test } from 'vitest'
import {
  type AskInTurnOptions,
  askInTurn,
  type Upstream,
} from '../../../src/service/chat/upstreams.ts'
import type { FailureKind } from '../../../src/service/providers/failure.ts'
import { ProviderHealth } from '../../../src/service/providers/health.ts'
import { ProviderError } from '../../../src/service/providers/provider.ts'
import { createManualClock } from '../../platform/time/manual-clock.ts'

const COOL_DOWN_MS = 30_000

type Try = 'answers' | Error

test('after its cool-down it is asked first again', async () => {
  const scene = createScene({ a: [failure('reset'), 'answers'], b: ['answers'] })

  await scene.ask()
  scene.clock.advance(COOL_DOWN_MS)
  await scene.ask()

  expect(scene.asked).toEqual(['a', 'b', 'a'])
})

test('where all of them failed lately the one whose cool-down ends first is asked, and nobody waits', async () => {
  const scene = createScene({
    a: [failure('overloaded', { retryAfterMs: 2 * COOL_DOWN_MS }), 'answers'],
    b: [failure('overloaded'), 'answers'],
  })

  await expect(scene.ask()).rejects.toThrow('overloaded')
  await scene.ask()

  expect(scene.asked).toEqual(['a', 'b', 'b'])
})

test('every failure once an answer has begun is final', async () => {
  const broken = new ProviderError('broken', 'Broke.', { failure: { kind: 'reset' } })
  const scene = createScene({ a: [broken], b: ['answers'] }, { begins: true })

  await expect(scene.ask()).rejects.toBe(broken)

  expect(scene.asked).toEqual(['a'])
  expect(scene.failures).toEqual(['a reset broken'])
  expect(scene.upstreams[0]?.health.restMs()).toBe(COOL_DOWN_MS)
})

test.each([
  ['a mistake of ours', new TypeError('Cannot go on')],
  ['a hold that was lost', new ProviderError('unavailable', 'Lost.')],
])('%s is no reason to ask another upstream', async (_, error) => {
  const scene = createScene({ a: [error], b: ['answers'] })

  await expect(scene.ask()).rejects.toBe(error)

  expect(scene.asked).toEqual(['a'])
  expect(scene.failures).toEqual([])
})

test.each<FailureKind>(['unauthorized', 'refused'])(
  'a failure is lasting if all of them answered %s',
  async (kind) => {
    const scene = createScene({ a: [failure(kind)], b: [failure(kind)] })

    await expect(scene.ask()).rejects.toMatchObject({ code: 'unavailable', isLasting: true })

    expect(scene.asked).toEqual(['a', 'b'])
  },
)

test('no upstream is asked later than two and a half minutes after the first', async () => {
  const fails = failure('timed_out')
  const scene = createScene({ a: [fails], b: [fails], c: ['answers'] }, { tryMs: 100_000 })

  await expect(scene.ask()).rejects.toBe(fails)

  expect(scene.asked).toEqual(['a', 'b'])
})

function failure(kind: FailureKind, facts: { retryAfterMs?: number } = {}): ProviderError {
  return new ProviderError('unavailable', kind, { failure: { kind, ...facts } })
}

interface Scene {
  begins?: boolean
  tryMs?: number
}

function createScene(tries: Record<string, Try[]>, { begins = false, tryMs = 0 }: Scene = {}) {
  const clock = createManualClock()
  const names = Object.keys(tries)
  const upstreams = names.map((name): Upstream => {
    const provider = {
      answer: () => Promise.reject(new Error('Not asked here')),
    }
    const health = new ProviderHealth(COOL_DOWN_MS, clock)
    return { name, provider, health }
  })
  const asked: string[] = []
  const failures: string[] = []
  const options: AskInTurnOptions = {
    signal: new AbortController().signal,
    onFailure: ({ name }, { kind }, meaning) => failures.push(`${name} ${kind} ${meaning}`),
    clock,
  }
  return { clock, upstreams, asked, failures, ask }

  function ask(): Promise<string> {
    return askInTurn(
      upstreams,
      async ({ name }, onAnswer) => {
        asked.push(name)
        clock.advance(tryMs)
        const outcome = tries[name]?.shift()
        if (begins) onAnswer()
        if (outcome instanceof Error) throw outcome
        return name
      },
      options,
    )
  }
}
