import { availableParallelism } from 'node:os'
import { readMachineCpuMs, readTreeCpuMs } from './process-figures.ts'

/** Above this part of the machine, a measurement is of something else, too. */
const DISTURBED = 0.03
/** A measurement that was disturbed is made again so often; the least disturbed one counts. */
const REPEATS_MAX = 2

/** A measurement, and the part of the machine that others took meanwhile. */
export interface Measured<Run> {
  run: Run
  /** From 0 to 1; undefined where the machine does not tell. */
  others: number | undefined
  repeats: number
}

/** Measures, and again if others disturbed it: processes that are none of the bench's, and neighbours of the machine. */
export async function measureUndisturbed<Run>(
  measure: () => Promise<Run>,
  watch: <T>(
    work: () => Promise<T>,
  ) => Promise<{ result: T; others: number | undefined }> = watchOthers,
): Promise<Measured<Run>> {
  let best: Measured<Run> | undefined
  for (let repeats = 0; ; repeats += 1) {
    const { result: run, others } = await watch(measure)
    if (best === undefined || (others ?? 0) < (best.others ?? 0)) best = { run, others, repeats }
    if ((others ?? 0) <= DISTURBED || repeats === REPEATS_MAX) return { ...best, repeats }
  }
}

/** Does work, and finds what part of the machine others took. */
async function watchOthers<T>(
  work: () => Promise<T>,
): Promise<{ result: T; others: number | undefined }> {
  const [before, begunAt] = [await readOthersMs(), performance.now()]
  const result = await work()
  const [after, wallMs] = [await readOthersMs(), performance.now() - begunAt]
  if (before === undefined || after === undefined) return { result, others: undefined }
  return { result, others: Math.max(0, after - before) / (wallMs * availableParallelism()) }
}

/** CPU of the machine that is not the bench's. */
async function readOthersMs(): Promise<number | undefined> {
  try {
    return (await readMachineCpuMs()) - (await readTreeCpuMs(process.pid))
  } catch {
    return undefined
  }
}
