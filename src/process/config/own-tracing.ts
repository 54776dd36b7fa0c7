import type { Sampling } from '../../platform/tracing/export-spans.ts'
import { type Environment, isSet, reader, shouldBe } from './read-variables.ts'

/** What the variables of OpenTelemetry say about traces. */
export interface TracingSettings {
  /** The root of a collector. */
  endpoint: string
  /** What the collector reads of this program: `service.name`, and what else the operator says about it. */
  attributes: Readonly<Record<string, string>>
  sampling: Sampling
}

/** What the SDK's exporter reads itself, for traces alone or for all that is exported. */
const EXPORTER_VARIABLES = [
  'HEADERS',
  'COMPRESSION',
  'CERTIFICATE',
  'CLIENT_CERTIFICATE',
  'CLIENT_KEY',
].flatMap((name) => [`OTEL_EXPORTER_OTLP_${name}`, `OTEL_EXPORTER_OTLP_TRACES_${name}`])

/** The variables of OpenTelemetry that count beside the collector's address. Others are for other programs. */
export const TRACING_VARIABLES: readonly string[] = [
  'OTEL_SERVICE_NAME',
  'OTEL_RESOURCE_ATTRIBUTES',
  'OTEL_TRACES_SAMPLER',
  'OTEL_TRACES_SAMPLER_ARG',
  ...EXPORTER_VARIABLES,
]

const SERVICE_NAME = 'service.name'

/** The names of OpenTelemetry for what is traced; the ratio of `traceidratio` is a variable of its own. */
const SAMPLERS: Readonly<Record<string, { ratio?: number; followsParent: boolean }>> = {
  always_on: { ratio: 1, followsParent: false },
  always_off: { ratio: 0, followsParent: false },
  traceidratio: { followsParent: false },
  parentbased_always_on: { ratio: 1, followsParent: true },
  parentbased_always_off: { ratio: 0, followsParent: true },
  parentbased_traceidratio: { followsParent: true },
}

/**
 * Reads what is traced, and as what. A value that means nothing is noted and not used, as OpenTelemetry demands:
 * such variables are set for many programs at once, of which no one should refuse to start.
 *
 * @param endpoint The root of the collector, if there is one.
 * @param notes Gets a sentence about each value that is not used.
 * @see https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 */
export function readTracing(
  env: Environment,
  endpoint: string | undefined,
  notes: string[],
): TracingSettings | undefined {
  if (endpoint === undefined) return undefined
  const unused: string[] = []
  const read = reader(env, unused)
  const name = read('OTEL_SERVICE_NAME', (value) => ({ value }))
  const given = read('OTEL_RESOURCE_ATTRIBUTES', resourceAttributes)
  const { ratio: fixed, followsParent } = read('OTEL_TRACES_SAMPLER', sampler) ?? FOLLOW_PARENT
  const ratio = fixed ?? read('OTEL_TRACES_SAMPLER_ARG', ratioOfAll) ?? 1
  if (fixed !== undefined && isSet(env, 'OTEL_TRACES_SAMPLER_ARG')) {
    unused.push('OTEL_TRACES_SAMPLER_ARG: is for traceidratio and parentbased_traceidratio')
  }
  notes.push(...unused.map((problem) => `${problem}; it is not used`))
  return {
    endpoint,
    attributes: {
      [SERVICE_NAME]: 'kopeck',
      ...given,
      ...(name !== undefined && { [SERVICE_NAME]: name }),
    },
    sampling: { ratio, followsParent },
  }
}

const FOLLOW_PARENT = { ratio: 1, followsParent: true }

const sampler = shouldBe(`one of ${Object.keys(SAMPLERS).join(', ')}`, (name) => {
  const known = name.toLowerCase()
  return Object.hasOwn(SAMPLERS, known) ? SAMPLERS[known] : undefined
})

const ratioOfAll = shouldBe('a number from 0 to 1, such as 0.25', (digits) => {
  const ratio = Number(digits)
  return ratio >= 0 && ratio <= 1 ? ratio : undefined
})

const resourceAttributes = shouldBe(
  'names and values, with , and = in them as %2C and %3D: deployment.environment.name=production,team=bots',
  (list) => {
    const pairs = list.split(',').filter((pair) => pair.trim() !== '')
    const attributes = pairs.map(parsePair)
    return attributes.every((pair) => pair !== undefined)
      ? Object.fromEntries(attributes)
      : undefined
  },
)

function parsePair(pair: string): readonly [name: string, value: string] | undefined {
  const [name = '', value, ...rest] = pair.split('=').map((part) => part.trim())
  if (name === '' || value === undefined || rest.length > 0) return undefined
  try {
    return [decodeURIComponent(name), decodeURIComponent(value)]
  } catch {
    // A % that begins no code.
    return undefined
  }
}
