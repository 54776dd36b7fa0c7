import { setTimeout as delay } from 'node:timers/promises'
import { findGateways } from '../contenders/gateways/find-gateways.ts'
import type { Gateway } from '../contenders/gateways/gateway.ts'
import { inTurn } from '../in-turn.ts'
import { readProcessFigures } from '../measuring/process-figures.ts'
import type { BenchContext } from '../part.ts'
import { type Table, toRow } from '../report/table.ts'
import type { AnswerShape } from '../surroundings/answer-shape.ts'
import { openGatewayStage } from './stages/gateway-stage.ts'

const STREAMS = 1_000
/** One delta, and silence. */
const SHAPE: AnswerShape = { firstDeltaAfterMs: 5, deltas: 2, intervalMs: 3_600_000 }
const SETTLE_MS = 1_000

/** Streams that say nothing: what each keeps in memory. */
export async function silence(context: BenchContext): Promise<Table[]> {
  const { gateways, missing } = findGateways(context)
  // Memory varies little from round to round.
  const once = { ...context, rounds: 1 }
  const runs = await inTurn(gateways, once, (gateway) => measure(gateway, context))
  const name = 'peak resident memory'
  return [
    {
      title: `${STREAMS.toLocaleString('en')} silent streams`,
      says: 'Streams that have had one chunk each, begun at once in a fresh process, a second later.',
      columns: gateways.map((gateway) => gateway.name),
      missing,
      rows: [toRow(runs, { name, unit: 'MiB', pick: (peakRssMiB) => peakRssMiB })],
    },
  ]
}

/** @returns The peak, in MiB. */
async function measure(gateway: Gateway, context: BenchContext): Promise<number> {
  const stage = await openGatewayStage(gateway, context)
  const leave = new AbortController()
  try {
    let open = 0
    const allOpen = Promise.withResolvers<void>()
    const onFirstBytes = () => {
      open += 1
      if (open === STREAMS) allOpen.resolve()
    }
    const streams = Array.from({ length: STREAMS }, () =>
      stage.ask(SHAPE, { stream: true, signal: leave.signal, onFirstBytes }),
    )
    const ended = Promise.allSettled(streams)
    await Promise.race([allOpen.promise, Promise.all(streams), stage.gateway.failed])
    await delay(SETTLE_MS, undefined, { signal: context.signal })
    const { peakRssBytes } = await readProcessFigures(stage.gateway.pid)
    leave.abort()
    await ended
    return peakRssBytes / 2 ** 20
  } finally {
    leave.abort()
    await stage.close()
  }
}
