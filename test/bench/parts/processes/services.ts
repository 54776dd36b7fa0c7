import { join } from 'node:path'
import { THIS_CHECKOUT } from '../../checkout.ts'
import { askedOf, startKopeckService } from '../../contenders/gateways/kopeck.ts'
import { inTurn } from '../../in-turn.ts'
import { measureCpu } from '../../measuring/cpu.ts'
import { plainNode, startProgram } from '../../measuring/program.ts'
import { startGroup } from '../../measuring/program-group.ts'
import type { BenchContext } from '../../part.ts'
import type { Table } from '../../report/table.ts'
import type { AnswerShape } from '../../surroundings/answer-shape.ts'
import { goOn, openLoad } from '../../surroundings/load.ts'
import { COUNTS, PART, type Run, toTable } from './counts.ts'

const UPSTREAM = plainNode(join(import.meta.dirname, '../../surroundings/upstream.ts'))
const SHAPE: AnswerShape = { firstDeltaAfterMs: 0, deltas: 20, intervalMs: 0 }
const AT_ONCE_EACH = 24
/** They share a core until they are held to a part of it. */
const WARM_UP_SECONDS_EACH = 4
const SECONDS = 5

/** Whole answers of the service behind one address. */
export async function services(context: BenchContext): Promise<Table> {
  const runs = await inTurn(COUNTS, context, ({ count }) => measure(count, context))
  return toTable(runs, {
    of: 'request',
    title: 'The service: processes on one database',
    says: `Plain answers of ${SHAPE.deltas} tokens, ${AT_ONCE_EACH} at once for each process, each request to the next process; PostgreSQL is on the core of the load.`,
  })
}

async function measure(count: number, context: BenchContext): Promise<Run> {
  const { database, accountsOf, cores, signal } = context
  const ends: (() => Promise<unknown>)[] = []
  try {
    const upstream = await startProgram({ program: UPSTREAM, core: cores.around, signal })
    ends.push(upstream.stop)
    const { url, keys } = await accountsOf(THIS_CHECKOUT)
    const databaseUrl = await database.copy(url)
    const surroundings = { upstream: upstream.address, core: cores.measured, signal }
    const group = await startGroup(count, () =>
      startKopeckService({ ...surroundings, checkout: THIS_CHECKOUT, databaseUrl }),
    )
    ends.push(group.stop)
    await database.moveTo(cores.around)

    // Each account asks now this process, now that one.
    const asked = askedOf({ address: '' }, keys)
    const loads = group.members.map((member) =>
      openLoad({ ...askedOf(member, keys), headers: asked.headers }),
    )
    ends.push(...loads.map(({ close }) => close))
    let turn = 0
    const ask = async () => loads[turn++ % count]?.ask(SHAPE, { stream: false })
    const askOn = (seconds: number) =>
      Promise.race([goOn(ask, { atOnce: AT_ONCE_EACH * count, seconds }), group.failed])
    await askOn(WARM_UP_SECONDS_EACH * count)
    const isHeld = await group.holdEachTo(PART)
    const { result, cpu } = await measureCpu({ pid: group.pids, database }, () => askOn(SECONDS))
    const { requests, seconds } = result
    const { processMs, databaseMs = 0 } = cpu
    return {
      count,
      perSecond: isHeld ? requests / seconds : undefined,
      processesMs: processMs / requests,
      databaseMs: databaseMs / requests,
      databasePart: databaseMs / 1000 / seconds,
    }
  } finally {
    for (const end of ends.reverse()) await end()
    await database.moveTo(cores.measured)
  }
}
