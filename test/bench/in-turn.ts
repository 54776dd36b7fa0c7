import type { BenchContext } from './part.ts'
import type { Runs } from './report/table.ts'

/** Measures all contenders once a round, one after the other: what changes on the machine meanwhile meets all. */
export async function inTurn<Contender extends { name: string }, Run>(
  contenders: readonly Contender[],
  { rounds, signal, progress }: BenchContext,
  measure: (contender: Contender, round: number) => Promise<Run>,
): Promise<Runs<Run>> {
  const runs = new Map<string, Run[]>(contenders.map(({ name }) => [name, []]))
  for (let round = 1; round <= rounds; round += 1) {
    for (const contender of contenders) {
      signal.throwIfAborted()
      progress(`round ${round} of ${rounds}, ${contender.name}`)
      runs.get(contender.name)?.push(await measure(contender, round))
    }
  }
  return runs
}
