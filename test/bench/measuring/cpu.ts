import { readProcessFigures } from './process-figures.ts'

/** CPU that some work took: of the process under measurement, or of several together, and of PostgreSQL if it works for it. */
export interface CpuTaken {
  processMs: number
  databaseMs: number | undefined
  /** Both together. */
  allMs: number
}

/** A database that reports what all its processes have used. */
export interface CpuReader {
  readCpuMs(): Promise<number>
}

/**
 * Measures what a process and its PostgreSQL take for some work.
 *
 * @param options.pid Of the process; several where they do it together.
 */
export async function measureCpu<Result>(
  { pid, database }: { pid: number | readonly number[]; database: CpuReader | undefined },
  work: () => Promise<Result>,
): Promise<{ result: Result; cpu: CpuTaken }> {
  const before = await read()
  const result = await work()
  const after = await read()
  const processMs = after.processMs - before.processMs
  const databaseMs = after.databaseMs - before.databaseMs
  const cpu = {
    processMs,
    databaseMs: database && databaseMs,
    allMs: processMs + (database === undefined ? 0 : databaseMs),
  }
  return { result, cpu }

  async function read() {
    const figures = await Promise.all([pid].flat().map(readProcessFigures))
    const processMs = figures.reduce((sum, { cpuMs }) => sum + cpuMs, 0)
    return { processMs, databaseMs: (await database?.readCpuMs()) ?? 0 }
  }
}
