import { onTestFinished } from 'vitest'
import { exportSpans, type Sampling } from '../../../src/platform/tracing/export-spans.ts'
import { sendJson, startServer } from '../http/local-server.ts'

/** A span as a collector reads it. */
export interface CollectedSpan {
  name: string
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  attributes: Record<string, string>
  isError: boolean
}

/** The read part of a body of OTLP, as its specification shapes it. */
interface OtlpBody {
  resourceSpans: {
    resource: { attributes: OtlpAttribute[] }
    scopeSpans: { spans: OtlpSpan[] }[]
  }[]
}

interface OtlpAttribute {
  key: string
  value: Record<string, unknown>
}

interface OtlpSpan {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  attributes: OtlpAttribute[]
  status: { code: number }
}

const ERROR = 2
const EVERY_TRACE = { ratio: 1, followsParent: true }

/**
 * A collector of OTLP over HTTP and JSON, to which this process exports until the test has finished.
 *
 * @param status What it answers with.
 */
export async function startCollector({
  status = 200,
  attributes = {},
  sampling = EVERY_TRACE,
}: {
  status?: number
  attributes?: Record<string, string>
  sampling?: Sampling
} = {}) {
  const errors: unknown[] = []
  const server = await startServer((response) => sendJson(response, status, {}))
  const { origin: endpoint } = new URL(server.baseUrl)
  const tracing = exportSpans({
    endpoint,
    attributes,
    sampling,
    intervalMs: 10,
    onError: (error) => errors.push(error),
  })
  onTestFinished(() => tracing.stop(0))
  return {
    errors,
    requests: server.requests,
    stop: tracing.stop,
    /** All that came so far, in the order in which they ended. */
    spans: () => server.requests.flatMap((request) => readSpans(readBody(request))),
    /** What named the program that sent the first of them. */
    resource: () => toRecord(readBody(server.requests[0]).resourceSpans[0]?.resource.attributes),
    /** All bytes that came so far. */
    text: () => server.requests.map(({ body }) => body).join('\n'),
  }
}

function readSpans({ resourceSpans }: OtlpBody): CollectedSpan[] {
  const spans = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans).flatMap(({ spans }) => spans)
  return spans.map(({ name, traceId, spanId, parentSpanId, attributes, status }) => ({
    name,
    traceId,
    spanId,
    parentSpanId,
    isError: status.code === ERROR,
    attributes: toRecord(attributes),
  }))
}

function readBody({ body } = { body: '{"resourceSpans":[]}' }): OtlpBody {
  return JSON.parse(body)
}

function toRecord(attributes: readonly OtlpAttribute[] = []): Record<string, string> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, String(Object.values(value)[0])]),
  )
}
