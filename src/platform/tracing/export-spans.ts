import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Context,
  type Span as ExportedSpan,
  isSpanContextValid,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { settleWithin } from '../time/graceful-stop.ts'
import { type OutgoingRequest, outgoingRequests, type Span, spans } from './span.ts'

/** Spans that wait for a collector, in memory; more are lost. */
const SPANS_MAX = 2048
/** How long one batch may be on its way. */
const EXPORT_MS_MAX = 5_000
/** The last spans get so long at the end of a process. */
const STOP_MS_MAX = 2_000
const TEXT_CHARS_MAX = 200

/** The header's form in any version but ff, which there will not be. */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/
const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL }

/** Which traces are exported. */
export interface Sampling {
  /** The part of all, from 0 to 1. It is chosen by the trace's id, so that every process chooses the same. */
  ratio: number
  /** True where the request that asks for work says whether it is traced; the ratio is then of work that begins here. */
  followsParent: boolean
}

export interface TracingOptions {
  /** The root of the collector. */
  endpoint: string
  /** What names this program among others, such as its `service.name`. */
  attributes: Readonly<Record<string, string>>
  sampling: Sampling
  /** Called each time that the collector does not take spans. They are lost, and nothing else. */
  onError: (error: Error | undefined) => void
  /** Called with how many spans are lost: those of a batch, or one that found no room. */
  onLost?: (spans: number) => void
  /** How long spans are gathered. */
  intervalMs?: number
}

/**
 * Exports spans to a collector, over OTLP in HTTP and JSON.
 *
 * @see https://www.w3.org/TR/trace-context/#traceparent-header
 */
export function exportSpans({
  endpoint,
  attributes,
  sampling: { ratio, followsParent },
  onError,
  onLost = () => {},
  intervalMs,
}: TracingOptions) {
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    timeoutMillis: EXPORT_MS_MAX,
  })
  const room = createRoom(onLost)
  const processor = new BatchSpanProcessor({
    exporter: reportFailures(exporter, {
      onTaken: room.leave,
      onFailed: (error, spans) => {
        onError(error)
        onLost(spans)
      },
    }),
    maxQueueSize: SPANS_MAX,
    exportTimeoutMillis: EXPORT_MS_MAX,
    ...(intervalMs !== undefined && { scheduledDelayMillis: intervalMs }),
  })
  const sampler = new TraceIdRatioBasedSampler(ratio)
  const provider = new TracerProvider({
    resource: resourceFromAttributes(attributes),
    sampler: followsParent ? new ParentBasedSampler({ root: sampler }) : sampler,
    spanLimits: { attributeValueLengthLimit: TEXT_CHARS_MAX },
    spanProcessors: [room, processor],
  })
  const tracer = provider.getTracer('kopeck')
  const current = new AsyncLocalStorage<Context>()
  const open = new WeakMap<Span, { exported: ExportedSpan; context: Context }>()
  spans.start.bindStore(current, enter)
  spans.asyncEnd.subscribe(end)
  outgoingRequests.subscribe(addTraceparent)
  return { stop }

  function enter(span: Span): Context {
    const entered = open.get(span)
    if (entered !== undefined) return entered.context
    const parent = readParent(span.traceparent) ?? current.getStore() ?? ROOT_CONTEXT
    const exported = tracer.startSpan(span.name, { kind: KINDS[span.kind] }, parent)
    const context = trace.setSpan(parent, exported)
    open.set(span, { exported, context })
    return context
  }

  function end(message: unknown): void {
    const span = message as Span
    const exported = open.get(span)?.exported
    if (exported === undefined) return
    open.delete(span)
    for (const [name, value] of Object.entries(span.attributes)) {
      if (value !== undefined) exported.setAttribute(name, value)
    }
    if (span.error !== undefined) {
      exported.setAttribute('error.type', toErrorType(span.error))
      exported.setStatus({ code: SpanStatusCode.ERROR })
    }
    exported.end()
  }

  function addTraceparent(message: unknown): void {
    const { headers } = message as OutgoingRequest
    const context = current.getStore()
    const span = context && trace.getSpanContext(context)
    if (span !== undefined) headers.traceparent = writeTraceparent(span)
  }

  /** Sends what is left, for a moment, and exports nothing more. */
  async function stop(timeoutMs: number): Promise<void> {
    spans.start.unbindStore(current)
    spans.asyncEnd.unsubscribe(end)
    outgoingRequests.unsubscribe(addTraceparent)
    await settleWithin([provider.shutdown()], Math.min(timeoutMs, STOP_MS_MAX))
  }
}

/** Counts the spans that wait, as the processor after it does, which drops those that are too many in silence. */
function createRoom(onLost: (spans: number) => void) {
  let waiting = 0
  return {
    onStart() {},
    onEnd(span: ReadableSpan) {
      if ((span.spanContext().traceFlags & TraceFlags.SAMPLED) === 0) return
      if (waiting === SPANS_MAX) onLost(1)
      else waiting += 1
    },
    /** Makes room, when a batch is on its way. */
    leave(spans: number) {
      waiting -= spans
    },
    forceFlush: async () => {},
    shutdown: async () => {},
  }
}

interface BatchWatch {
  /** Called with the length of each batch when it is taken out of those that wait. */
  onTaken: (spans: number) => void
  onFailed: (error: Error | undefined, spans: number) => void
}

/** Reports lost batches, of which an exporter says nothing by itself. */
function reportFailures(exporter: SpanExporter, { onTaken, onFailed }: BatchWatch): SpanExporter {
  return {
    export(batch, done) {
      onTaken(batch.length)
      exporter.export(batch, (result) => {
        if (result.code !== 0) onFailed(result.error, batch.length)
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
  }
}

/** @returns Undefined for what is no such header: the work is then a part of what is around it. */
function readParent(traceparent = ''): Context | undefined {
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(traceparent) ?? []
  const parent = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
  return isSpanContextValid(parent) ? trace.setSpanContext(ROOT_CONTEXT, parent) : undefined
}

function writeTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
}

/** A message may quote what people wrote. */
function toErrorType(error: unknown): string {
  // A word of ours.
  if (typeof error === 'string') return error
  if (!(error instanceof Error)) return typeof error
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
