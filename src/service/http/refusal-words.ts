import type { FieldProblem } from '../../contract/errors.ts'
import { toDetail } from '../field-problems.ts'

/** What a refusal says, however it is written. */
export interface RefusalWords {
  /** As the interface document has it. */
  statusCode: number
  detail: string | readonly FieldProblem[]
  /** OpenAI's word for what is wrong, where neither the status nor the field says it. */
  openAiCode?: string | undefined
}

/** One sentence, or several, for a reader. */
export function toText(detail: RefusalWords['detail']): string {
  return typeof detail === 'string' ? detail : toDetail(detail)
}
