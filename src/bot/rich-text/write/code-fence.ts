import { longestRun } from '../parse/characters.ts'

const FENCE_CHARS_MIN = 3

/** The shortest fence that no line of the code can end. */
export function shortestCodeFence(code: string): string {
  return '`'.repeat(Math.max(FENCE_CHARS_MIN, longestRun(code, '`') + 1))
}
