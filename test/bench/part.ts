import type { BenchDatabase } from './bench-database.ts'

/** What every part may use. */
export interface BenchContext {
  database: BenchDatabase
  /** Aborts when the bench is told to end. */
  signal: AbortSignal
  /** Tells the person who waits what is being done. */
  progress(line: string): void
}

/** One subject of the bench. */
export interface BenchPart {
  title: string
  /**
   * Measures, and ends everything that it started.
   *
   * @returns Markdown.
   * @throws {Error} If anything came out wrong: a figure of wrong work is none.
   */
  run(context: BenchContext): Promise<string>
}
