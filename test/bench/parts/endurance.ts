import { kopeckGateway } from '../contenders/gateways/kopeck.ts'
import { readProcessFigures } from '../measuring/process-figures.ts'
import type { BenchContext } from '../part.ts'
import type { Row, Table } from '../report/table.ts'
import type { AnswerShape } from '../surroundings/answer-shape.ts'
import { openGatewayStage } from './stages/gateway-stage.ts'

const SECONDS = 30
const STEP_SECONDS = 5
const AT_ONCE = 64
const ANSWER: AnswerShape = { firstDeltaAfterMs: 0, deltas: 5, intervalMs: 0 }

/** Measures whether the service keeps anything of the requests that it has answered. */
export async function endurance(context: BenchContext): Promise<Table[]> {
  const rows: Row[] = []
  const [ours] = context.checkouts.slice(-1)
  if (ours === undefined) return []
  const stage = await openGatewayStage(kopeckGateway(ours, context), context)
  try {
    let answered = 0
    for (let seconds = STEP_SECONDS; seconds <= SECONDS; seconds += STEP_SECONDS) {
      context.progress(`${seconds} of ${SECONDS} s`)
      const { requests } = await stage.askOn(ANSWER, { atOnce: AT_ONCE, seconds: STEP_SECONDS })
      answered += requests
      const { rssBytes } = await readProcessFigures(stage.gateway.pid)
      const name = `after ${answered.toLocaleString('en')} requests`
      rows.push({ name, unit: 'MiB', values: { Kopeck: [rssBytes / 2 ** 20] } })
    }
  } finally {
    await stage.close()
  }
  return [
    {
      title: 'Memory over many requests',
      says: `What is resident while ${AT_ONCE} at once ask for plain answers, ${SECONDS} s long. Every answer was whole.`,
      columns: ['Kopeck'],
      rows,
    },
  ]
}
