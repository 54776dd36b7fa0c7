import { onTestFinished } from 'vitest'
import { exportSpans } from '../../../src/platform/tracing/export-spans.ts'
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
  resourceSpans: { scopeSpans: { spans: OtlpSpan[] }[] }[]
}

interface OtlpSpan {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  attributes: { key: string; value: Record<string, unknown> }[]
  status: { code: number }
}

const ERROR = 2

/**
 * A collector of OTLP over HTTP and JSON, to which this process exports until the test has finished.
 *
 * @param status What it answers with.
 */
export async function startCollector({ status = 200 } = {}) {
  const errors: unknown[] = []
  const server = await startServer((response) => sendJson(response, status, {}))
  const { origin: endpoint } = new URL(server.baseUrl)
  const tracing = exportSpans({
    endpoint,
    serviceName: 'kopeck-test',
    intervalMs: 10,
    onError: (error) => errors.push(error),
  })
  onTestFinished(() => tracing.stop(0))
  return {
    errors,
    requests: server.requests,
    stop: tracing.stop,
    /** All that came so far, in the order in which they ended. */
    spans: () => server.requests.flatMap(({ body }) => readSpans(JSON.parse(body))),
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
    attributes: Object.fromEntries(
      attributes.map(({ key, value }) => [key, String(Object.values(value)[0])]),
    ),
  }))
}
