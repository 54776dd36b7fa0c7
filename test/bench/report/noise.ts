import type { Table } from './table.ts'

/** What others took of the machine while a contender was measured. */
export interface Noise {
  name: string
  /** A part of the machine, from 0 to 1. */
  others: number
  /** How often it was measured again. */
  repeats: number
}

/** Adds to a table what others took meanwhile, by contender. */
export function withNoise(table: Table, noise: readonly Noise[]): Table {
  if (noise.length === 0) return table
  const values: Record<string, number[]> = {}
  for (const { name, others } of noise) values[name] = [...(values[name] ?? []), others * 100]
  const row = { name: 'taken by others meanwhile', unit: '% of the machine', digits: 1, values }
  return { ...table, rows: [...table.rows, row] }
}
