import { expect, test } from 'vitest'
import { readTracing } from '../../../src/process/config/own-tracing.ts'

const COLLECTOR = 'http://127.0.0.1:4318'

function read(env: Record<string, string>) {
  const notes: string[] = []
  return { tracing: readTracing(env, COLLECTOR, notes), notes }
}

test('without a collector there are no traces, and nothing is noted of their variables', () => {
  const notes: string[] = []

  const tracing = readTracing({ OTEL_TRACES_SAMPLER: 'xray' }, undefined, notes)

  expect([tracing, notes]).toEqual([undefined, []])
})

test('by default every trace is taken whose asker does not say otherwise, as kopeck', () => {
  expect(read({})).toEqual({
    tracing: {
      endpoint: COLLECTOR,
      attributes: { 'service.name': 'kopeck' },
      sampling: { ratio: 1, followsParent: true },
    },
    notes: [],
  })
})

test.each([
  ['always_on', 1, false],
  ['always_off', 0, false],
  ['traceidratio', 0.25, false],
  ['parentbased_always_on', 1, true],
  ['parentbased_always_off', 0, true],
  ['parentbased_traceidratio', 0.25, true],
  ['ParentBased_TraceIdRatio', 0.25, true],
])(
  'OTEL_TRACES_SAMPLER=%s takes %d of the traces (as asked for: %s)',
  (name, ratio, followsParent) => {
    const ratioOfAll = /ratio/i.test(name) ? { OTEL_TRACES_SAMPLER_ARG: '0.25' } : {}

    const { tracing, notes } = read({ OTEL_TRACES_SAMPLER: name, ...ratioOfAll })

    expect(tracing?.sampling).toEqual({ ratio, followsParent })
    expect(notes).toEqual([])
  },
)

test.each(['', '1.5', '-1', 'half'])(
  'with a ratio of %j the sampler takes every trace',
  (OTEL_TRACES_SAMPLER_ARG) => {
    const { tracing, notes } = read({
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG,
    })

    expect(tracing?.sampling).toEqual({ ratio: 1, followsParent: false })
    expect(notes).toEqual(
      OTEL_TRACES_SAMPLER_ARG === ''
        ? []
        : ['OTEL_TRACES_SAMPLER_ARG: should be a number from 0 to 1, such as 0.25; it is not used'],
    )
  },
)

test.each(['xray', 'jaeger_remote', 'constructor'])(
  'the sampler %s is none of these: it is noted, and not used',
  (OTEL_TRACES_SAMPLER) => {
    const { tracing, notes } = read({ OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG: '0.25' })

    expect(tracing?.sampling).toEqual({ ratio: 1, followsParent: true })
    expect(notes).toEqual([
      'OTEL_TRACES_SAMPLER: should be one of always_on, always_off, traceidratio, parentbased_always_on, parentbased_always_off, parentbased_traceidratio; it is not used',
      'OTEL_TRACES_SAMPLER_ARG: is for traceidratio and parentbased_traceidratio; it is not used',
    ])
  },
)

test('OTEL_RESOURCE_ATTRIBUTES says what a collector reads of the program; OTEL_SERVICE_NAME counts before it', () => {
  const OTEL_RESOURCE_ATTRIBUTES =
    ' service.name=shop , deployment.environment.name=production,team=%D0%B1%2C%3D,service.version=9,'

  const given = read({ OTEL_RESOURCE_ATTRIBUTES })
  const named = read({ OTEL_RESOURCE_ATTRIBUTES, OTEL_SERVICE_NAME: 'bot' })

  const attributes = {
    'service.name': 'shop',
    'deployment.environment.name': 'production',
    team: 'б,=',
    'service.version': '9',
  }
  expect([given.tracing?.attributes, given.notes]).toEqual([attributes, []])
  expect(named.tracing?.attributes).toEqual({ ...attributes, 'service.name': 'bot' })
})

test.each(['team', 'team=a=b', '=bots', 'team=%', 'ok=1,team'])(
  'attributes that cannot be read are noted, and none of them is used: %s',
  (OTEL_RESOURCE_ATTRIBUTES) => {
    const { tracing, notes } = read({ OTEL_RESOURCE_ATTRIBUTES })

    expect(tracing?.attributes).toEqual({ 'service.name': 'kopeck' })
    expect(notes).toEqual([
      expect.stringMatching(/^OTEL_RESOURCE_ATTRIBUTES: should be .*; it is not used$/),
    ])
  },
)
