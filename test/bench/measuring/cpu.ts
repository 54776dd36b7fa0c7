import { readProcessFigures } from './process-figures.ts'

/** CPU that some work took: of the process under measurement, and of PostgreSQL if it works for it. */
export interface CpuTaken {
  processMs: number
  databaseMs: number | undefined
  /** Both together. */
  allMs: number
}

/** A database that tells what all its processes have used. */
export interface CpuReader {
  readCpuMs(): Promise<number>
}

/** Tells what a process and its PostgreSQL take for some work. */
export async function measureCpu<Result>(
  { pid, database }: { pid: number; database: CpuReader | undefined },
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
    const { cpuMs } = await readProcessFigures(pid)
    return { processMs: cpuMs, databaseMs: (await database?.readCpuMs()) ?? 0 }
  }
}
