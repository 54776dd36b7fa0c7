import type { Runs, Table } from '../../report/table.ts'
import { toRow } from '../../report/table.ts'

/** The numbers of processes that work on one database, a new one each time. */
export const COUNTS = [
  { name: '1 process', count: 1 },
  { name: '2 processes', count: 2 },
  { name: '3 processes', count: 3 },
] as const

/** The part of a core that each process has: three of them leave some of one free, as machines of their own would. */
export const PART = 0.2

/** The figures of some processes together. */
export interface Run {
  count: number
  /** Undefined where processes cannot be held to a part of a core: they would share what one alone has. */
  perSecond: number | undefined
  /** The CPU of the processes for one request, in milliseconds. */
  processesMs: number
  databaseMs: number
  /** The part of one core that PostgreSQL took meanwhile. */
  databasePart: number
}

/** @param of What is counted: `request`, `answer`. */
export function toTable(
  runs: Runs<Run>,
  { of, ...head }: { of: string; title: string; says: string },
): Table {
  const cpu = { unit: 'CPU ms', digits: 2 }
  const isHeld = [...runs.values()].flat().every(({ perSecond }) => perSecond !== undefined)
  const how = isHeld
    ? `Each process has ${PART * 100} % of a core, as if the others were on machines of their own.`
    : 'No control group can be written here, so processes share a core, and only CPU is reported.'
  return {
    title: head.title,
    says: `${head.says} ${how}`,
    columns: COUNTS.map(({ name }) => name),
    rows: [
      toRow(runs, { name: `${of}s`, unit: 'a second', digits: 1, pick: (run) => run.perSecond }),
      toRow(runs, {
        name: `${of}s of each process`,
        unit: 'a second',
        digits: 1,
        pick: ({ perSecond, count }) => perSecond && perSecond / count,
      }),
      toRow(runs, { name: `1 ${of}: the processes`, ...cpu, pick: (run) => run.processesMs }),
      toRow(runs, { name: `1 ${of}: PostgreSQL`, ...cpu, pick: (run) => run.databaseMs }),
      toRow(runs, {
        name: 'PostgreSQL',
        unit: '% of a core',
        pick: (run) => (isHeld ? run.databasePart * 100 : undefined),
      }),
    ],
  }
}
