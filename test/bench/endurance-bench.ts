import type { AnswerShape } from './local-service.ts'
import type { BenchContext, BenchPart } from './part.ts'
import { readProcessFigures } from './process-figures.ts'
import { askManyPlain, openServiceStage } from './service-setup.ts'

const REQUESTS = 100_000
const STEP = 10_000
const ANSWER: AnswerShape = { firstDeltaAfterMs: 0, deltas: 5, intervalMs: 0 }

/** Whether the service keeps anything of the requests that it has answered. */
export const enduranceBench: BenchPart = {
  title: 'endurance: the memory of our service over 100,000 requests',
  run,
}

async function run(context: BenchContext): Promise<string> {
  const setup = await openServiceStage('kopeck', context, { requests: REQUESTS })
  try {
    const rows: string[] = []
    const startedAt = performance.now()
    for (let answered = STEP; answered <= REQUESTS; answered += STEP) {
      await askManyPlain(setup, { count: STEP, shape: ANSWER })
      const { rssBytes, peakRssBytes } = await readProcessFigures(setup.gateway.pid)
      const cells = [answered.toLocaleString('en'), toMiB(rssBytes), toMiB(peakRssBytes)]
      rows.push(`| ${cells.join(' | ')} |`)
      context.progress(`endurance: ${answered} of ${REQUESTS} requests`)
    }
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
    const head = '| requests | resident memory, MiB | its peak so far |\n| ---: | ---: | ---: |'
    return `${head}\n${rows.join('\n')}\n\nPlain answers at a concurrency of 64, ${seconds} s in all. Every answer was whole.`
  } finally {
    await setup.close()
  }
}

function toMiB(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0)
}
