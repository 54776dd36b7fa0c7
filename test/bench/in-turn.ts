import { measureUndisturbed } from './measuring/disturbance.ts'
import type { BenchContext } from './part.ts'
import type { Runs } from './report/table.ts'

/**
 * Measures all contenders once a round, one after the other: what changes on the machine meanwhile meets all. What was
 * disturbed is measured again.
 */
export async function inTurn<Contender extends { name: string }, Run>(
  contenders: readonly Contender[],
  { rounds, signal, progress, noise }: BenchContext,
  measure: (contender: Contender, round: number) => Promise<Run>,
): Promise<Runs<Run>> {
  const runs = new Map<string, Run[]>(contenders.map(({ name }) => [name, []]))
  for (let round = 1; round <= rounds; round += 1) {
    for (const contender of contenders) {
      const { name } = contender
      const { run, others, repeats } = await measureUndisturbed(() => {
        signal.throwIfAborted()
        progress(`round ${round} of ${rounds}, ${name}`)
        return measure(contender, round)
      })
      runs.get(name)?.push(run)
      if (others !== undefined) noise.push({ name, others, repeats })
    }
  }
  return runs
}
