import type { ServerResponse } from 'node:http'
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
 * @param answer How it does that.
 */
export async function startCollector({
  status = 200,
  answer = (response) => sendJson(response, status, {}),
  attributes = {},
  sampling = EVERY_TRACE,
}: {
  status?: number
  answer?: (response: ServerResponse) => void | Promise<void>
  attributes?: Record<string, string>
  sampling?: Sampling
} = {}) {
  const errors: unknown[] = []
  let lost = 0
  const server = await startServer(answer)
  const { origin: endpoint } = new URL(server.baseUrl)
  const tracing = exportSpans({
    endpoint,
    attributes,
    sampling,
    intervalMs: 10,
    onError: (error) => errors.push(error),
    onLost: (spans) => {
      lost += spans
    },
  })
  onTestFinished(() => tracing.stop(0))
  return {
    errors,
    /** How many spans it did not take, or found no room. */
    lost: () => lost,
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
