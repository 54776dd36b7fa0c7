import type { BenchContext } from '../../part.ts'
import type { Table } from '../../report/table.ts'
import { bots } from './bots.ts'
import { services } from './services.ts'

/** Measures what the second and the third process bring that work on one database. */
export async function processes(context: BenchContext): Promise<Table[]> {
  return [await services(context), await bots(context)]
}
