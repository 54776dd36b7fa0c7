import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Table } from './table.ts'

const FOLDER = join(import.meta.dirname, '../../../node_modules/.cache/kopeck-bench')

/** The tables of one part of the bench, and the machine that it was measured on. */
export interface PartResult {
  part: string
  /** When it began, as ISO 8601 has it. */
  takenAt: string
  seconds: number
  rounds: number
  /** The commit that was measured, and the one that it was compared with. */
  revision: string
  before?: string
  machine: string
  /** When it began and when it had ended. */
  loadAverage: readonly [number, number]
  tables: readonly Table[]
}

/** Keeps the result instead of an earlier one of the same part. */
export async function keepResult(result: PartResult): Promise<void> {
  await mkdir(FOLDER, { recursive: true })
  await writeFile(join(FOLDER, `${result.part}.json`), `${JSON.stringify(result, undefined, 2)}\n`)
}
